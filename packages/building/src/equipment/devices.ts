import type { PointType } from '../building.ts'

export interface PointDesign {
  /** Last part of the point's code, as on a controller's point list. */
  suffix: string
  name: string
  pointType: PointType
  quantityKind: string
  unit: string
}

export interface DeviceDesign {
  elementType: string
  /** First part of the element's code. */
  prefix: string
  name: string
  points: readonly PointDesign[]
}

type Measure = readonly [quantityKind: string, unit: string]

const CELSIUS: Measure = ['Temperature', 'DEG_C']
const PERCENT: Measure = ['DimensionlessRatio', 'PERCENT']
const STATE: Measure = ['Dimensionless', 'UNITLESS']
const PPM: Measure = ['MoleFraction', 'PPM']
const KILOWATT: Measure = ['ActivePower', 'KiloW']
const KILOWATT_HOUR: Measure = ['ActiveEnergy', 'KiloW-HR']
const PASCAL: Measure = ['Pressure', 'PA']
const LITRES_PER_SECOND: Measure = ['VolumeFlowRate', 'L-PER-SEC']
const NUMBER: Measure = ['Count', 'NUM']
const MICROGRAMS_PER_M3: Measure = ['MassConcentration', 'MicroGM-PER-M3']

const of =
  (pointType: PointType) =>
  (suffix: string, name: string, [quantityKind, unit]: Measure): PointDesign => ({
    suffix,
    name,
    pointType,
    quantityKind,
    unit,
  })
const sensor = of('SENSOR')
const command = of('COMMAND')
const setpoint = of('SETPOINT')
const alarm = of('ALARM')
const status = of('STATUS')
const parameter = of('PARAMETER')

function device(elementType: string, prefix: string, name: string, ...points: PointDesign[]): DeviceDesign {
  return { elementType, prefix, name, points }
}

const zoneTemperature = sensor('ZNT', 'Zone temperature', CELSIUS)
const vavPoints = [
  zoneTemperature,
  sensor('SAF', 'Supply air flow', LITRES_PER_SECOND),
  sensor('DAT', 'Discharge air temperature', CELSIUS),
  sensor('DPR', 'Damper position', PERCENT),
  command('DPRC', 'Damper command', PERCENT),
  command('RHC', 'Reheat valve command', PERCENT),
]

/** Equipment of rooms. The telemetry model finds each point by element type and suffix. */
export const roomDevices = {
  vav: device('vav', 'VAV', 'VAV box', ...vavPoints),
  vavFull: device(
    'vav',
    'VAV',
    'VAV box',
    ...vavPoints,
    setpoint('CLSP', 'Cooling setpoint', CELSIUS),
    setpoint('HTSP', 'Heating setpoint', CELSIUS),
  ),
  temperature: device('temperature-sensor', 'TS', 'Temperature sensor', zoneTemperature),
  thermostat: device(
    'thermostat',
    'TST',
    'Thermostat',
    zoneTemperature,
    setpoint('SP', 'Temperature setpoint', CELSIUS),
  ),
  /** On the wall of a room whose temperature is measured by its VAV box. */
  setpointDial: device('thermostat', 'TST', 'Thermostat', setpoint('SP', 'Temperature setpoint', CELSIUS)),
  co2: device('co2-sensor', 'CO2', 'CO₂ sensor', sensor('CO2', 'CO₂ concentration', PPM)),
  humidity: device(
    'humidity-sensor',
    'HS',
    'Humidity sensor',
    sensor('RH', 'Relative humidity', ['RelativeHumidity', 'PERCENT_RH']),
  ),
  airQuality: device(
    'air-quality-sensor',
    'AQS',
    'Air quality sensor',
    sensor('TVOC', 'Volatile organic compounds', MICROGRAMS_PER_M3),
    sensor('PM25', 'Particulate matter 2.5', MICROGRAMS_PER_M3),
  ),
  occupancy: device('occupancy-sensor', 'OCC', 'Occupancy sensor', status('OCC', 'Occupied', STATE)),
  peopleCounter: device('people-counter', 'PC', 'People counter', sensor('CNT', 'People present', NUMBER)),
  light: device('light-sensor', 'LS', 'Light sensor', sensor('LUX', 'Illuminance', ['Illuminance', 'LUX'])),
  lightingSwitch: device('lighting', 'LGT', 'Lighting circuit', status('STS', 'Lights on', STATE)),
  lighting: device(
    'lighting',
    'LGT',
    'Lighting circuit',
    command('LVL', 'Dimming level command', PERCENT),
    status('STS', 'Lights on', STATE),
    sensor('KW', 'Lighting power', KILOWATT),
  ),
  smoke: device('smoke-detector', 'SD', 'Smoke detector', alarm('ALM', 'Smoke alarm', STATE)),
  leak: device('leak-detector', 'LD', 'Leak detector', alarm('ALM', 'Leak alarm', STATE)),
  door: device('contact-sensor', 'DC', 'Door contact', status('STS', 'Door open', STATE)),
  meter: device('electricity-meter', 'EM', 'Electricity meter', sensor('KWH', 'Energy', KILOWATT_HOUR)),
  meterFull: device(
    'electricity-meter',
    'EM',
    'Electricity meter',
    sensor('KWH', 'Energy', KILOWATT_HOUR),
    sensor('KW', 'Power', KILOWATT),
  ),
  exhaustFan: device(
    'exhaust-fan',
    'EF',
    'Exhaust fan',
    command('CMD', 'Run command', STATE),
    status('STS', 'Running', STATE),
  ),
  jetFan: device('jet-fan', 'JF', 'Jet fan', command('SPD', 'Speed command', PERCENT), status('STS', 'Running', STATE)),
  co: device('co-sensor', 'COS', 'CO sensor', sensor('CO', 'CO concentration', PPM)),
  charger: device(
    'ev-charger',
    'EVC',
    'EV charger',
    status('MODE', 'Charging state', STATE),
    sensor('KW', 'Charging power', KILOWATT),
  ),
  splitUnit: device(
    'split-unit',
    'SPL',
    'Split unit',
    sensor('DAT', 'Discharge air temperature', CELSIUS),
    status('STS', 'Running', STATE),
    setpoint('SP', 'Temperature setpoint', CELSIUS),
  ),
  ups: device('ups', 'UPS', 'UPS', sensor('LOAD', 'Load', PERCENT), alarm('ALM', 'On battery', STATE)),
} as const

/** Equipment that serves the building, a storey or several rooms. Some of it is in a room, such as the plant room. */
export const plantDevices = {
  ahu: device(
    'ahu',
    'AHU',
    'Air handling unit',
    sensor('SAT', 'Supply air temperature', CELSIUS),
    sensor('RAT', 'Return air temperature', CELSIUS),
    sensor('SAF', 'Supply air flow', LITRES_PER_SECOND),
    sensor('SAP', 'Supply air static pressure', PASCAL),
    sensor('FDP', 'Filter pressure drop', PASCAL),
    command('SFC', 'Supply fan speed command', PERCENT),
    status('SFS', 'Supply fan running', STATE),
    command('CCV', 'Cooling coil valve command', PERCENT),
    command('HCV', 'Heating coil valve command', PERCENT),
    command('OAD', 'Outside air damper command', PERCENT),
    setpoint('SATSP', 'Supply air temperature setpoint', CELSIUS),
    alarm('FLT', 'Filter alarm', STATE),
    parameter('MINOA', 'Minimum outside air share', PERCENT),
    status('MODE', 'Operating mode', STATE),
  ),
  chiller: device(
    'chiller',
    'CH',
    'Chiller',
    sensor('CHWS', 'Chilled water supply temperature', CELSIUS),
    sensor('CHWR', 'Chilled water return temperature', CELSIUS),
    sensor('KW', 'Power', KILOWATT),
    status('STS', 'Running', STATE),
    setpoint('CHWSP', 'Chilled water setpoint', CELSIUS),
    alarm('ALM', 'Chiller alarm', STATE),
    parameter('LIM', 'Demand limit', PERCENT),
  ),
  boiler: device(
    'boiler',
    'BLR',
    'Boiler',
    sensor('HWS', 'Hot water supply temperature', CELSIUS),
    sensor('HWR', 'Hot water return temperature', CELSIUS),
    sensor('FIR', 'Firing rate', PERCENT),
    status('STS', 'Running', STATE),
    setpoint('HWSP', 'Hot water setpoint', CELSIUS),
    alarm('ALM', 'Boiler alarm', STATE),
  ),
  coolingTower: device(
    'cooling-tower',
    'CT',
    'Cooling tower',
    sensor('CWS', 'Condenser water supply temperature', CELSIUS),
    command('SPD', 'Fan speed command', PERCENT),
    status('STS', 'Running', STATE),
  ),
  chilledWaterPump: device(
    'chilled-water-pump',
    'CHWP',
    'Chilled water pump',
    command('SPD', 'Speed command', PERCENT),
    status('STS', 'Running', STATE),
  ),
  hotWaterPump: device(
    'hot-water-pump',
    'HWP',
    'Hot water pump',
    command('SPD', 'Speed command', PERCENT),
    status('STS', 'Running', STATE),
  ),
  heatPump: device(
    'heat-pump',
    'HP',
    'Heat pump',
    sensor('KW', 'Power', KILOWATT),
    status('MODE', 'Operating mode', STATE),
    alarm('ALM', 'Heat pump alarm', STATE),
  ),
  mainMeter: device(
    'electricity-meter',
    'EM-MAIN',
    'Main electricity meter',
    sensor('KWH', 'Energy', KILOWATT_HOUR),
    sensor('KW', 'Power', KILOWATT),
    sensor('PF', 'Power factor', ['PowerFactor', 'UNITLESS']),
  ),
  storeyMeter: device(
    'electricity-meter',
    'EM',
    'Storey electricity meter',
    sensor('KWH', 'Energy', KILOWATT_HOUR),
    sensor('KW', 'Power', KILOWATT),
  ),
  waterMeter: device(
    'water-meter',
    'WM-MAIN',
    'Main water meter',
    sensor('VOL', 'Water volume', ['Volume', 'M3']),
    sensor('FLOW', 'Water flow', LITRES_PER_SECOND),
  ),
  gasMeter: device('gas-meter', 'GM-MAIN', 'Main gas meter', sensor('VOL', 'Gas volume', ['Volume', 'M3'])),
  weather: device(
    'weather-station',
    'WST',
    'Weather station',
    sensor('OAT', 'Outside air temperature', CELSIUS),
    sensor('OAH', 'Outside relative humidity', ['RelativeHumidity', 'PERCENT_RH']),
    sensor('WIND', 'Wind speed', ['Speed', 'M-PER-SEC']),
    sensor('GHI', 'Global horizontal irradiance', ['Irradiance', 'W-PER-M2']),
  ),
  lift: device(
    'lift',
    'LIFT',
    'Lift',
    sensor('POS', 'Car position', NUMBER),
    status('MODE', 'Operating state', STATE),
    sensor('TRP', 'Trips', NUMBER),
    alarm('ALM', 'Lift alarm', STATE),
  ),
  escalator: device(
    'escalator',
    'ESC',
    'Escalator',
    status('STS', 'Running', STATE),
    alarm('ALM', 'Escalator alarm', STATE),
  ),
  firePanel: device(
    'fire-panel',
    'FAP',
    'Fire alarm panel',
    alarm('ALM', 'Fire alarm', STATE),
    status('MODE', 'Panel state', STATE),
  ),
  controller: device(
    'controller',
    'BMS',
    'Building controller',
    parameter('CO2MAX', 'CO₂ limit', PPM),
    parameter('OSTM', 'Optimum start lead', ['Time', 'MIN']),
    setpoint('OCSP', 'Occupied cooling setpoint', CELSIUS),
    setpoint('OHSP', 'Occupied heating setpoint', CELSIUS),
    status('MODE', 'Schedule state', STATE),
  ),
} as const
