/// Marks the module until its parts are in.
enum DflatBuffersModule {}
