export interface QuantityKind {
  /** Name in the QUDT quantity kind vocabulary. */
  readonly name: string
  readonly label: string
  /** The units of this kind; the first is the usual one. */
  readonly units: readonly string[]
}

function kind(name: string, label: string, ...units: string[]): QuantityKind {
  return { name, label, units }
}

export const quantityKinds: readonly QuantityKind[] = [
  kind('Dimensionless', 'State or plain number', 'UNITLESS', 'NUM'),
  kind('DimensionlessRatio', 'Ratio', 'PERCENT', 'FRACTION', 'UNITLESS', 'PPM'),
  kind('Count', 'Count', 'NUM'),
  kind('Temperature', 'Temperature', 'DEG_C', 'DEG_F', 'K'),
  kind('TemperatureDifference', 'Temperature difference', 'K'),
  kind('DewPointTemperature', 'Dew point', 'DEG_C', 'DEG_F'),
  kind('RelativeHumidity', 'Relative humidity', 'PERCENT_RH', 'PERCENT'),
  kind('MoleFraction', 'Gas concentration (CO₂, CO)', 'PPM', 'PPB', 'FRACTION', 'PERCENT'),
  kind('MassConcentration', 'Mass concentration (particles, volatile compounds)', 'MicroGM-PER-M3', 'MilliGM-PER-M3'),
  kind('Illuminance', 'Illuminance', 'LUX'),
  kind('LuminousFlux', 'Luminous flux', 'LM'),
  kind('Irradiance', 'Irradiance', 'W-PER-M2'),
  kind('SoundPressureLevel', 'Sound pressure level', 'DeciB'),
  kind('ActivePower', 'Active power', 'KiloW', 'W', 'MegaW'),
  kind('ElectricPower', 'Electric power', 'KiloW', 'W', 'MegaW'),
  kind('ReactivePower', 'Reactive power', 'KiloV-A_Reactive', 'V-A_Reactive'),
  kind('ApparentPower', 'Apparent power', 'KiloV-A', 'V-A'),
  kind('PowerFactor', 'Power factor', 'UNITLESS', 'FRACTION', 'PERCENT'),
  kind('ActiveEnergy', 'Active energy', 'KiloW-HR', 'W-HR', 'MegaW-HR', 'J', 'MegaJ'),
  kind('ElectricEnergy', 'Electric energy', 'KiloW-HR', 'W-HR', 'MegaW-HR', 'J', 'MegaJ'),
  kind('ThermalEnergy', 'Heat', 'KiloW-HR', 'W-HR', 'MegaW-HR', 'J', 'MegaJ'),
  kind('HeatFlowRate', 'Heat flow rate', 'KiloW', 'W', 'MegaW'),
  kind('Energy', 'Energy', 'KiloW-HR', 'W-HR', 'MegaW-HR', 'J', 'MegaJ'),
  kind('Power', 'Power', 'KiloW', 'W', 'MegaW'),
  kind('Voltage', 'Voltage', 'V'),
  kind('ElectricCurrent', 'Electric current', 'A'),
  kind('Frequency', 'Frequency', 'HZ'),
  kind('Pressure', 'Pressure', 'PA', 'KiloPA', 'BAR'),
  kind('VolumeFlowRate', 'Volume flow rate', 'L-PER-SEC', 'L-PER-MIN', 'M3-PER-HR', 'M3-PER-SEC'),
  kind('MassFlowRate', 'Mass flow rate', 'KiloGM-PER-SEC'),
  kind('Volume', 'Volume', 'M3', 'L'),
  kind('Mass', 'Mass', 'KiloGM', 'GM'),
  kind('Length', 'Length', 'M', 'MilliM'),
  kind('Area', 'Area', 'M2'),
  kind('Speed', 'Speed', 'M-PER-SEC', 'KiloM-PER-HR'),
  kind('RotationalVelocity', 'Rotational speed', 'REV-PER-MIN'),
  kind('Angle', 'Angle', 'DEG', 'RAD'),
  kind('Time', 'Time', 'SEC', 'MIN', 'HR', 'DAY'),
  kind('Velocity', 'Velocity (wind, precipitation)', 'M-PER-SEC', 'KiloM-PER-HR', 'MilliM-PER-HR'),
]
