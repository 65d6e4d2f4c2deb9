namespace Golden.EmptyRoot;

table Marker { id: ubyte (primary); }

root_type Marker;
