import type { PointNode } from '@storey/contract'

type PointType = PointNode['pointType']

/** The class of a point by its type, if no class for its quantity kind is listed below. */
const BY_TYPE: Record<PointType, string> = {
  SENSOR: 'Sensor',
  COMMAND: 'Command',
  SETPOINT: 'Setpoint',
  ALARM: 'Alarm',
  STATUS: 'Status',
  PARAMETER: 'Parameter',
}

/**
 * The classes of sensors by quantity kind. A quantity kind is missing if Brick has no class for it (sound, volume), or
 * if it could have several (a ratio may be a position or a load).
 */
const SENSORS: Record<string, string> = {
  Temperature: 'Temperature_Sensor',
  DewPointTemperature: 'Dewpoint_Sensor',
  RelativeHumidity: 'Relative_Humidity_Sensor',
  // The quantity kind does not specify the gas or dust.
  MoleFraction: 'Air_Quality_Sensor',
  MassConcentration: 'Air_Quality_Sensor',
  Illuminance: 'Illuminance_Sensor',
  Irradiance: 'Solar_Irradiance_Sensor',
  ActivePower: 'Active_Power_Sensor',
  ElectricPower: 'Electric_Power_Sensor',
  ReactivePower: 'Reactive_Power_Sensor',
  ApparentPower: 'Power_Sensor',
  PowerFactor: 'Power_Factor_Sensor',
  Power: 'Power_Sensor',
  HeatFlowRate: 'Thermal_Power_Sensor',
  ActiveEnergy: 'Electric_Energy_Sensor',
  ElectricEnergy: 'Electric_Energy_Sensor',
  ThermalEnergy: 'Energy_Sensor',
  Energy: 'Energy_Sensor',
  Voltage: 'Voltage_Sensor',
  ElectricCurrent: 'Current_Sensor',
  Frequency: 'Frequency_Sensor',
  Pressure: 'Pressure_Sensor',
  VolumeFlowRate: 'Flow_Sensor',
  MassFlowRate: 'Flow_Sensor',
  Speed: 'Speed_Sensor',
  RotationalVelocity: 'Speed_Sensor',
  Velocity: 'Speed_Sensor',
  Angle: 'Angle_Sensor',
  Time: 'Duration_Sensor',
}

const SETPOINTS: Record<string, string> = {
  Temperature: 'Temperature_Setpoint',
  TemperatureDifference: 'Differential_Temperature_Setpoint',
  DewPointTemperature: 'Dewpoint_Setpoint',
  RelativeHumidity: 'Humidity_Setpoint',
  Illuminance: 'Illuminance_Setpoint',
  Frequency: 'Frequency_Setpoint',
  Pressure: 'Pressure_Setpoint',
  VolumeFlowRate: 'Flow_Setpoint',
  MassFlowRate: 'Flow_Setpoint',
  Speed: 'Speed_Setpoint',
  RotationalVelocity: 'Speed_Setpoint',
  Time: 'Time_Setpoint',
}

const BY_QUANTITY: Partial<Record<PointType, Record<string, string>>> = { SENSOR: SENSORS, SETPOINT: SETPOINTS }

export function pointClass(pointType: PointType, quantityKind: string): string {
  return `brick:${BY_QUANTITY[pointType]?.[quantityKind] ?? BY_TYPE[pointType]}`
}
