import type { Building, BuildingSpec } from './building.ts'
import { globalId } from './identity.ts'
import { randomFor } from './random/random.ts'

const CITIES = [
  { name: 'Berlin', postcode: '10', latitude: 52.52, longitude: 13.405 },
  { name: 'Hamburg', postcode: '20', latitude: 53.551, longitude: 9.994 },
  { name: 'Leipzig', postcode: '04', latitude: 51.34, longitude: 12.375 },
  { name: 'Munich', postcode: '80', latitude: 48.137, longitude: 11.576 },
  { name: 'Cologne', postcode: '50', latitude: 50.938, longitude: 6.96 },
  { name: 'Frankfurt', postcode: '60', latitude: 50.11, longitude: 8.682 },
  { name: 'Dresden', postcode: '01', latitude: 51.05, longitude: 13.738 },
  { name: 'Hanover', postcode: '30', latitude: 52.376, longitude: 9.732 },
]
const STREETS = [
  'Lindenstraße',
  'Hafenallee',
  'Nordring',
  'Parkstraße',
  'Bahnhofstraße',
  'Uferweg',
  'Gartenallee',
  'Ostwall',
]
const PLACES = ['Linden', 'Hafen', 'Nordring', 'Park', 'Rathaus', 'Ufer', 'Garten', 'Ostwall', 'Mühlen', 'Kastanien']
const OWNERS = ['Albers', 'Brandt', 'Cassel', 'Dornbach', 'Ellert', 'Falkner', 'Gerlach', 'Hollmann']

/** The organization, site, address and name of the building. */
export function placeOf(spec: BuildingSpec, areaSqm: number): Pick<Building, 'organization' | 'site' | 'building'> {
  const random = randomFor(spec.seed, 'place')
  const city = random.pick(CITIES)
  const place = random.pick(PLACES)
  const address = `${random.pick(STREETS)} ${random.int(1, 180)}, ${city.postcode}${random.int(100, 999)} ${city.name}`
  const near = (degrees: number) => Math.round((degrees + random.between(-0.04, 0.04)) * 1e5) / 1e5
  const location = { latitude: near(city.latitude), longitude: near(city.longitude) }
  const id = (key: string) => globalId(spec.seed, key)
  return {
    organization: { key: 'organization', name: `${random.pick(OWNERS)} Real Estate` },
    site: {
      key: 'site',
      name: `${place} site, ${city.name}`,
      code: 'SITE-01',
      globalId: id('site'),
      address,
      location,
    },
    building: {
      key: 'building',
      name: spec.buildingType === 'mall' ? `${place} Galleria` : `${place} House`,
      code: 'BLD-01',
      globalId: id('building'),
      buildingType: spec.buildingType,
      timezone: 'Europe/Berlin',
      address,
      location: { ...location },
      areaSqm,
    },
  }
}
