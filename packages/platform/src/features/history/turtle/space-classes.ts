/**
 * The REC class of each space type. Brick 1.4 gives up its own classes of places for those of REC, and some of them say
 * another thing than a room: `Parking_Structure` is a building there and `Parking_Level` a floor.
 */
const CLASSES: Record<string, string> = {
  'open-office': 'OfficeLandscape',
  'private-office': 'OfficeRoom',
  'shared-office': 'OfficeRoom',
  'meeting-room': 'ConferenceRoom',
  'focus-room': 'OfficeRoom',
  'phone-booth': 'PhoneBooth',
  'training-room': 'EducationalRoom',
  auditorium: 'Auditorium',
  reception: 'Reception',
  // Lobby, Lounge and TeamRoom are REC's, and defined in the distribution of Brick 1.4.
  lobby: 'Lobby',
  lounge: 'Lounge',
  'break-room': 'StaffRoom',
  kitchen: 'Kitchenette',
  cafeteria: 'CafeteriaRoom',
  'copy-room': 'CopyingRoom',
  library: 'Library',
  'server-room': 'DataServerRoom',
  'first-aid-room': 'TreatmentRoom',
  'prayer-room': 'MeditationRoom',
  gym: 'ExerciseRoom',
  shop: 'RetailRoom',
  'anchor-store': 'RetailRoom',
  kiosk: 'RetailRoom',
  restaurant: 'DiningRoom',
  'food-court': 'DiningRoom',
  cinema: 'Cinema',
  supermarket: 'RetailRoom',
  // The nearest to the street of a mall: REC has no concourse.
  concourse: 'Hallway',
  atrium: 'Atrium',
  'management-office': 'OfficeRoom',
  corridor: 'Hallway',
  'lift-lobby': 'Lobby',
  stair: 'Stairwell',
  'lift-shaft': 'ElevatorShaft',
  shaft: 'ServiceShaft',
  toilet: 'Toilet',
  'changing-room': 'DressingRoom',
  'cleaning-room': 'CleaningRoom',
  storage: 'Storage',
  'loading-dock': 'LoadingReceivingRoom',
  'waste-room': 'WasteManagementRoom',
  'security-room': 'SecurityRoom',
  'plant-room': 'UtilitiesRoom',
  'electrical-room': 'ElectricityRoom',
  'telecom-room': 'TelecommunicationRoom',
  parking: 'Garage',
  'parking-aisle': 'Garage',
  ramp: 'Garage',
  'bike-storage': 'BicycleGarage',
  terrace: 'OutdoorSpace',
}

/** Not a room, by REC's tree. */
const NO_ROOMS = new Set(['OutdoorSpace'])

/** The classes of a space, the general one first: a reader without an inference engine asks for rec:Room. */
export function spaceClasses(spaceTypeSlug: string): string[] {
  const found = CLASSES[spaceTypeSlug]
  if (found === undefined) return ['rec:Room']
  return NO_ROOMS.has(found) ? [`rec:${found}`] : ['rec:Room', `rec:${found}`]
}
