export interface Unit {
  /** Name in the QUDT unit vocabulary. */
  readonly name: string
  readonly label: string
  readonly symbol: string
}

function unit(name: string, label: string, symbol: string): Unit {
  return { name, label, symbol }
}

export const units: readonly Unit[] = [
  unit('UNITLESS', 'no unit', ''),
  unit('NUM', 'number', ''),
  unit('PERCENT', 'percent', '%'),
  unit('FRACTION', 'fraction', ''),
  unit('PERCENT_RH', 'percent relative humidity', '% RH'),
  unit('PPM', 'parts per million', 'ppm'),
  unit('PPB', 'parts per billion', 'ppb'),
  unit('DEG_C', 'degree Celsius', '°C'),
  unit('DEG_F', 'degree Fahrenheit', '°F'),
  unit('K', 'kelvin', 'K'),
  unit('LUX', 'lux', 'lx'),
  unit('LM', 'lumen', 'lm'),
  unit('W', 'watt', 'W'),
  unit('KiloW', 'kilowatt', 'kW'),
  unit('MegaW', 'megawatt', 'MW'),
  unit('V-A', 'volt ampere', 'VA'),
  unit('KiloV-A', 'kilovolt ampere', 'kVA'),
  unit('V-A_Reactive', 'volt ampere reactive', 'var'),
  unit('KiloV-A_Reactive', 'kilovolt ampere reactive', 'kvar'),
  unit('W-HR', 'watt hour', 'Wh'),
  unit('KiloW-HR', 'kilowatt hour', 'kWh'),
  unit('MegaW-HR', 'megawatt hour', 'MWh'),
  unit('J', 'joule', 'J'),
  unit('MegaJ', 'megajoule', 'MJ'),
  unit('V', 'volt', 'V'),
  unit('A', 'ampere', 'A'),
  unit('HZ', 'hertz', 'Hz'),
  unit('PA', 'pascal', 'Pa'),
  unit('KiloPA', 'kilopascal', 'kPa'),
  unit('BAR', 'bar', 'bar'),
  unit('L-PER-SEC', 'litre per second', 'L/s'),
  unit('L-PER-MIN', 'litre per minute', 'L/min'),
  unit('M3-PER-HR', 'cubic metre per hour', 'm³/h'),
  unit('M3-PER-SEC', 'cubic metre per second', 'm³/s'),
  unit('KiloGM-PER-SEC', 'kilogram per second', 'kg/s'),
  unit('M3', 'cubic metre', 'm³'),
  unit('L', 'litre', 'L'),
  unit('M', 'metre', 'm'),
  unit('MilliM', 'millimetre', 'mm'),
  unit('M2', 'square metre', 'm²'),
  unit('M-PER-SEC', 'metre per second', 'm/s'),
  unit('KiloM-PER-HR', 'kilometre per hour', 'km/h'),
  unit('REV-PER-MIN', 'revolution per minute', 'rpm'),
  unit('DEG', 'degree', '°'),
  unit('RAD', 'radian', 'rad'),
  unit('SEC', 'second', 's'),
  unit('MIN', 'minute', 'min'),
  unit('HR', 'hour', 'h'),
  unit('DAY', 'day', 'd'),
  unit('KiloGM', 'kilogram', 'kg'),
  unit('GM', 'gram', 'g'),
  unit('MicroGM-PER-M3', 'microgram per cubic metre', 'µg/m³'),
  unit('MilliGM-PER-M3', 'milligram per cubic metre', 'mg/m³'),
  unit('W-PER-M2', 'watt per square metre', 'W/m²'),
  unit('DeciB', 'decibel', 'dB'),
  unit('MilliM-PER-HR', 'millimetre per hour', 'mm/h'),
]
