import DflatKV

let reading = Reading(
  station: "Zugspitze", position: Position(latitude: 47.421, longitude: 10.985), celsius: [-4.5, -3])
let copy = try Reading(data: reading.toData())
print(copy.station, copy.celsius, copy == reading ? "as written" : "changed")
