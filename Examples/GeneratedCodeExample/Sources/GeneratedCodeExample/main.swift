import DflatKV

let measurement = Measurement(
  station: "Zugspitze", position: Position(latitude: 47.421, longitude: 10.985), celsius: [-4.5, -3])
let copy = try Measurement(data: measurement.toData())
print(copy.station, copy.celsius, copy == measurement ? "as written" : "changed")
