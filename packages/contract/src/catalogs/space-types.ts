export interface SpaceType {
  readonly slug: string
  readonly name: string
  /** Class of the Brick schema; null if Brick has no matching class. */
  readonly brickClass: string | null
  /** Building types in which the type is usual. */
  readonly buildingTypes: readonly string[]
  /** The default of `isLeasable` for a new space. */
  readonly leasable: boolean
}

const office = ['office']
const mall = ['mall']
const any = ['office', 'mall']

function type(
  slug: string,
  name: string,
  brickClass: string | null,
  buildingTypes: readonly string[],
  leasable = false,
): SpaceType {
  return { slug, name, brickClass, buildingTypes, leasable }
}

export const spaceTypes: readonly SpaceType[] = [
  type('open-office', 'Open office', 'Open_Office', office),
  type('private-office', 'Private office', 'Private_Office', office),
  type('shared-office', 'Shared office', 'Shared_Office', office),
  type('meeting-room', 'Meeting room', 'Conference_Room', office),
  type('focus-room', 'Focus room', 'Enclosed_Office', office),
  type('phone-booth', 'Phone booth', 'Enclosed_Office', office),
  type('training-room', 'Training room', 'Team_Room', office),
  type('auditorium', 'Auditorium', 'Auditorium', any),
  type('reception', 'Reception', 'Reception', any),
  type('lobby', 'Lobby', 'Lobby', any),
  type('lounge', 'Lounge', 'Lounge', any),
  type('break-room', 'Break room', 'Break_Room', any),
  type('kitchen', 'Kitchen', 'Office_Kitchen', any),
  type('cafeteria', 'Cafeteria', 'Cafeteria', any),
  type('copy-room', 'Copy room', 'Copy_Room', office),
  type('library', 'Library', 'Library', office),
  type('server-room', 'Server room', 'Server_Room', any),
  type('first-aid-room', 'First-aid room', 'First_Aid_Room', any),
  type('prayer-room', 'Prayer room', 'Prayer_Room', any),
  type('gym', 'Gym', 'Exercise_Room', any),
  type('shop', 'Shop', 'Retail_Room', mall, true),
  type('anchor-store', 'Anchor store', 'Retail_Room', mall, true),
  type('kiosk', 'Kiosk', 'Retail_Room', mall, true),
  type('restaurant', 'Restaurant', 'Food_Service_Room', mall, true),
  type('food-court', 'Food court', 'Food_Service_Room', mall),
  type('cinema', 'Cinema', 'Auditorium', mall, true),
  type('supermarket', 'Supermarket', 'Retail_Room', mall, true),
  type('concourse', 'Concourse', 'Common_Space', mall),
  type('atrium', 'Atrium', 'Atrium', any),
  type('management-office', 'Management office', 'Office', mall),
  type('corridor', 'Corridor', 'Hallway', any),
  type('lift-lobby', 'Lift lobby', 'Elevator_Space', any),
  type('stair', 'Stair', 'Staircase', any),
  type('lift-shaft', 'Lift shaft', 'Elevator_Shaft', any),
  type('shaft', 'Service shaft', 'Riser', any),
  type('toilet', 'Toilet', 'Restroom', any),
  type('changing-room', 'Changing room', 'Shower', any),
  type('cleaning-room', "Cleaner's room", 'Janitor_Room', any),
  type('storage', 'Storage', 'Storage_Room', any),
  type('loading-dock', 'Loading dock', 'Loading_Dock', any),
  type('waste-room', 'Waste room', 'Waste_Storage', any),
  type('security-room', 'Security room', 'Security_Service_Room', any),
  type('plant-room', 'Plant room', 'Mechanical_Room', any),
  type('electrical-room', 'Electrical room', 'Electrical_Room', any),
  type('telecom-room', 'Telecom room', 'Telecom_Room', any),
  type('parking', 'Parking', 'Parking_Level', any),
  type('parking-aisle', 'Parking aisle', 'Parking_Structure', any),
  type('ramp', 'Ramp', 'Parking_Structure', any),
  type('bike-storage', 'Bicycle storage', 'Storage_Room', any),
  type('terrace', 'Terrace', 'Outdoor_Area', any),
  type('other', 'Other', 'Space', any),
]
