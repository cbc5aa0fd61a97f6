/**
 * The class of each space type in REC (RealEstateCore). Brick 1.4 replaces its own location classes by those of REC.
 * Some similar names of Brick are not rooms: `Parking_Structure` is a building and `Parking_Level` is a floor.
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
  // The Turtle files of REC lack its classes Lobby and Lounge, so the distribution of Brick 1.4 defines them.
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
  // REC has no concourse: this is the most similar class.
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

/** Classes that do not inherit from rec:Room. */
const NOT_ROOMS = new Set(['OutdoorSpace'])

/** The classes of a space. rec:Room is listed besides its subclass, since clients without inference query rec:Room. */
export function spaceClasses(spaceTypeSlug: string): string[] {
  const found = CLASSES[spaceTypeSlug]
  if (found === undefined) return ['rec:Room']
  return NOT_ROOMS.has(found) ? [`rec:${found}`] : ['rec:Room', `rec:${found}`]
}
