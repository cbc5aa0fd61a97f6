import { elementTypes, POINT_TYPES, quantityKinds, spaceTypes } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { pointClass } from './point-classes.ts'
import { spaceClasses } from './space-classes.ts'

/**
 * Each class was looked up in the sources of Brick 1.4.4 (where AHU, RTU, VAV, CAV and FCU are aliases) and of REC 4.
 * Lobby and Lounge are in Brick's distribution of REC.
 */
const BRICK = `
  AHU Access_Reader Active_Power_Sensor Air_Diffuser Air_Quality_Sensor Alarm Angle_Sensor Blind Boiler Breaker_Panel
  CAV Chilled_Beam Chilled_Water_Pump Chiller Coil Command Compressor Controller Cooling_Tower
  Current_Sensor Damper Dewpoint_Sensor Dewpoint_Setpoint Differential_Temperature_Setpoint Duration_Sensor
  Electric_Energy_Sensor Electric_Power_Sensor
  Electric_Vehicle_Charging_Station Electrical_Equipment Electrical_Meter Elevator Energy_Sensor Energy_Storage
  Equipment Exhaust_Fan FCU Fan Filter Fire_Alarm_Control_Panel Fire_Safety_Equipment Flow_Sensor Flow_Setpoint
  Frequency_Sensor Frequency_Setpoint Gas_Meter HVAC_Equipment Heat_Exchanger Heat_Wheel Hot_Water_Pump Humidifier
  Humidity_Setpoint Illuminance_Sensor Illuminance_Setpoint Leak_Detector_Equipment Lighting_Equipment Luminaire
  Manual_Fire_Alarm_Activation_Equipment Motor PV_Panel Parameter People_Count_Sensor_Equipment Power_Factor_Sensor
  Power_Sensor Pressure_Sensor Pressure_Setpoint Pump RTU Radiator Reactive_Power_Sensor Relative_Humidity_Sensor
  Sensor Sensor_Equipment Setpoint Smoke_Detector Solar_Irradiance_Sensor Speed_Sensor Speed_Setpoint Status
  Storage_Tank Surveillance_Camera Switch Temperature_Sensor Temperature_Setpoint Terminal_Unit Thermal_Power_Meter
  Thermal_Power_Sensor Thermostat Time_Setpoint Transformer VAV Valve Voltage_Sensor Water_Heater Water_Meter
  Weather_Station`
const REC = `
  Atrium Auditorium BicycleGarage CafeteriaRoom Cinema CleaningRoom ConferenceRoom CopyingRoom DataServerRoom DiningRoom
  DressingRoom EducationalRoom ElectricityRoom ElevatorShaft ExerciseRoom Garage Hallway Kitchenette Library
  LoadingReceivingRoom Lobby Lounge MeditationRoom OfficeLandscape OfficeRoom OutdoorSpace PhoneBooth Reception
  RetailRoom Room SecurityRoom ServiceShaft StaffRoom Stairwell Storage TelecommunicationRoom Toilet TreatmentRoom
  UtilitiesRoom WasteManagementRoom`

const named = (prefix: string, list: string) =>
  new Set(
    list
      .trim()
      .split(/\s+/)
      .map((name) => `${prefix}:${name}`),
  )

describe('the classes', () => {
  const brick = named('brick', BRICK)
  const rec = named('rec', REC)

  it('of elements are in Brick', () => {
    for (const { slug, brickClass } of elementTypes) expect(brick, slug).toContain(`brick:${brickClass}`)
  })

  it('of points are in Brick', () => {
    for (const pointType of POINT_TYPES) {
      for (const { name } of quantityKinds) expect(brick, name).toContain(pointClass(pointType, name))
    }
  })

  it('of spaces are in REC, and only the space type `other` has no class but rec:Room', () => {
    for (const { slug } of spaceTypes) {
      const classes = spaceClasses(slug)
      for (const name of classes) expect(rec, slug).toContain(name)
      expect(classes.at(-1) === 'rec:Room', slug).toBe(slug === 'other')
    }
  })
})
