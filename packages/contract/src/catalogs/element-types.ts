export interface ElementType {
  readonly slug: string
  readonly name: string
  /** The class and the predefined type in IFC 4.3. The predefined type is NOTDEFINED if IFC has no closer one. */
  readonly ifcClass: string
  readonly predefinedType: string
  readonly brickClass: string
}

function type(slug: string, name: string, ifcClass: string, predefinedType: string, brickClass: string): ElementType {
  return { slug, name, ifcClass, predefinedType, brickClass }
}

const air = [
  type('ahu', 'Air handling unit', 'IfcUnitaryEquipment', 'AIRHANDLER', 'AHU'),
  type('rooftop-unit', 'Rooftop unit', 'IfcUnitaryEquipment', 'ROOFTOPUNIT', 'RTU'),
  type('split-unit', 'Split unit', 'IfcUnitaryEquipment', 'SPLITSYSTEM', 'Terminal_Unit'),
  type('vav', 'VAV box', 'IfcAirTerminalBox', 'VARIABLEFLOWPRESSUREDEPENDANT', 'VAV'),
  type('cav', 'CAV box', 'IfcAirTerminalBox', 'CONSTANTFLOW', 'CAV'),
  type('fan-coil-unit', 'Fan coil unit', 'IfcUnitaryEquipment', 'AIRCONDITIONINGUNIT', 'FCU'),
  type('fan', 'Fan', 'IfcFan', 'NOTDEFINED', 'Fan'),
  type('exhaust-fan', 'Exhaust fan', 'IfcFan', 'CENTRIFUGALBACKWARDINCLINEDCURVED', 'Exhaust_Fan'),
  type('jet-fan', 'Jet fan', 'IfcFan', 'TUBEAXIAL', 'Fan'),
  type('damper', 'Damper', 'IfcDamper', 'CONTROLDAMPER', 'Damper'),
  type('fire-damper', 'Fire damper', 'IfcDamper', 'FIREDAMPER', 'Damper'),
  type('diffuser', 'Air diffuser', 'IfcAirTerminal', 'DIFFUSER', 'Air_Diffuser'),
  type('filter', 'Air filter', 'IfcFilter', 'AIRPARTICLEFILTER', 'Filter'),
  type('heat-recovery', 'Heat recovery unit', 'IfcAirToAirHeatRecovery', 'ROTARYWHEEL', 'Heat_Wheel'),
  type('humidifier', 'Humidifier', 'IfcHumidifier', 'STEAMINJECTION', 'Humidifier'),
]

const water = [
  type('chiller', 'Chiller', 'IfcChiller', 'WATERCOOLED', 'Chiller'),
  type('boiler', 'Boiler', 'IfcBoiler', 'WATER', 'Boiler'),
  type('cooling-tower', 'Cooling tower', 'IfcCoolingTower', 'MECHANICALINDUCEDDRAFT', 'Cooling_Tower'),
  type('heat-pump', 'Heat pump', 'IfcUnitaryEquipment', 'NOTDEFINED', 'HVAC_Equipment'),
  type('pump', 'Pump', 'IfcPump', 'CIRCULATOR', 'Pump'),
  type('chilled-water-pump', 'Chilled water pump', 'IfcPump', 'CIRCULATOR', 'Chilled_Water_Pump'),
  type('hot-water-pump', 'Hot water pump', 'IfcPump', 'CIRCULATOR', 'Hot_Water_Pump'),
  type('heat-exchanger', 'Heat exchanger', 'IfcHeatExchanger', 'PLATE', 'Heat_Exchanger'),
  type('radiator', 'Radiator', 'IfcSpaceHeater', 'RADIATOR', 'Radiator'),
  type('valve', 'Valve', 'IfcValve', 'REGULATING', 'Valve'),
  type('tank', 'Tank', 'IfcTank', 'STORAGE', 'Storage_Tank'),
  type('water-heater', 'Water heater', 'IfcElectricAppliance', 'FREESTANDINGWATERHEATER', 'Water_Heater'),
  type('sanitary-terminal', 'Sanitary terminal', 'IfcSanitaryTerminal', 'NOTDEFINED', 'Equipment'),
]

const sensors = [
  type('sensor', 'Sensor', 'IfcSensor', 'NOTDEFINED', 'Sensor_Equipment'),
  type('temperature-sensor', 'Temperature sensor', 'IfcSensor', 'TEMPERATURESENSOR', 'Sensor_Equipment'),
  type('humidity-sensor', 'Humidity sensor', 'IfcSensor', 'HUMIDITYSENSOR', 'Sensor_Equipment'),
  type('co2-sensor', 'CO₂ sensor', 'IfcSensor', 'CO2SENSOR', 'Sensor_Equipment'),
  type('co-sensor', 'CO sensor', 'IfcSensor', 'COSENSOR', 'Sensor_Equipment'),
  type('air-quality-sensor', 'Air quality sensor', 'IfcSensor', 'GASSENSOR', 'Sensor_Equipment'),
  type('occupancy-sensor', 'Occupancy sensor', 'IfcSensor', 'MOVEMENTSENSOR', 'Sensor_Equipment'),
  type('people-counter', 'People counter', 'IfcSensor', 'MOVEMENTSENSOR', 'People_Count_Sensor_Equipment'),
  type('light-sensor', 'Light sensor', 'IfcSensor', 'LIGHTSENSOR', 'Sensor_Equipment'),
  type('sound-sensor', 'Sound sensor', 'IfcSensor', 'SOUNDSENSOR', 'Sensor_Equipment'),
  type('contact-sensor', 'Contact sensor', 'IfcSensor', 'CONTACTSENSOR', 'Sensor_Equipment'),
  type('leak-detector', 'Leak detector', 'IfcSensor', 'MOISTURESENSOR', 'Leak_Detector_Equipment'),
  type('weather-station', 'Weather station', 'IfcSensor', 'NOTDEFINED', 'Weather_Station'),
  type('thermostat', 'Thermostat', 'IfcUnitaryControlElement', 'THERMOSTAT', 'Thermostat'),
  type('controller', 'Controller', 'IfcController', 'PROGRAMMABLE', 'Controller'),
]

const power = [
  type('electricity-meter', 'Electricity meter', 'IfcFlowMeter', 'ENERGYMETER', 'Electrical_Meter'),
  type('water-meter', 'Water meter', 'IfcFlowMeter', 'WATERMETER', 'Water_Meter'),
  type('gas-meter', 'Gas meter', 'IfcFlowMeter', 'GASMETER', 'Gas_Meter'),
  type('heat-meter', 'Heat meter', 'IfcFlowMeter', 'ENERGYMETER', 'Thermal_Power_Meter'),
  type('lighting', 'Lighting circuit', 'IfcLightFixture', 'NOTDEFINED', 'Lighting_Equipment'),
  type('emergency-light', 'Emergency light', 'IfcLightFixture', 'SECURITYLIGHTING', 'Lighting_Equipment'),
  type(
    'distribution-board',
    'Distribution board',
    'IfcElectricDistributionBoard',
    'DISTRIBUTIONBOARD',
    'Breaker_Panel',
  ),
  type('transformer', 'Transformer', 'IfcTransformer', 'VOLTAGE', 'Transformer'),
  type('ups', 'Uninterruptible power supply', 'IfcElectricFlowStorageDevice', 'UPS', 'Energy_Storage'),
  type('generator', 'Generator', 'IfcElectricGenerator', 'ENGINEGENERATOR', 'Electrical_Equipment'),
  type('solar-panel', 'Solar panel', 'IfcSolarDevice', 'SOLARPANEL', 'PV_Panel'),
  type('ev-charger', 'EV charger', 'IfcElectricAppliance', 'NOTDEFINED', 'Electric_Vehicle_Charging_Station'),
]

const people = [
  type('lift', 'Lift', 'IfcTransportElement', 'ELEVATOR', 'Elevator'),
  type('escalator', 'Escalator', 'IfcTransportElement', 'ESCALATOR', 'Equipment'),
  type('door', 'Door', 'IfcDoor', 'DOOR', 'Equipment'),
  type('access-reader', 'Access reader', 'IfcSensor', 'IDENTIFIERSENSOR', 'Access_Reader'),
  type('camera', 'Camera', 'IfcAudioVisualAppliance', 'CAMERA', 'Surveillance_Camera'),
  type('display', 'Display', 'IfcAudioVisualAppliance', 'DISPLAY', 'Equipment'),
  type('blind', 'Blind', 'IfcShadingDevice', 'SHUTTER', 'Blind'),
  type('refrigerator', 'Refrigerator', 'IfcElectricAppliance', 'REFRIGERATOR', 'Equipment'),
]

const safety = [
  type('smoke-detector', 'Smoke detector', 'IfcSensor', 'SMOKESENSOR', 'Smoke_Detector'),
  type('fire-panel', 'Fire alarm panel', 'IfcUnitaryControlElement', 'ALARMPANEL', 'Fire_Alarm_Control_Panel'),
  type('fire-alarm', 'Fire alarm', 'IfcAlarm', 'MANUALPULLBOX', 'Manual_Fire_Alarm_Activation_Equipment'),
  type('sprinkler', 'Sprinkler', 'IfcFireSuppressionTerminal', 'SPRINKLER', 'Fire_Safety_Equipment'),
]

/** Types that are frequent in building models, and generic ones for models without detail. */
const networks = [
  type('duct', 'Duct', 'IfcDuctSegment', 'NOTDEFINED', 'HVAC_Equipment'),
  type('duct-fitting', 'Duct fitting', 'IfcDuctFitting', 'NOTDEFINED', 'HVAC_Equipment'),
  type('silencer', 'Duct silencer', 'IfcDuctSilencer', 'NOTDEFINED', 'HVAC_Equipment'),
  type('pipe', 'Pipe', 'IfcPipeSegment', 'NOTDEFINED', 'Equipment'),
  type('pipe-fitting', 'Pipe fitting', 'IfcPipeFitting', 'NOTDEFINED', 'Equipment'),
  type('cable', 'Cable', 'IfcCableSegment', 'NOTDEFINED', 'Electrical_Equipment'),
  type('cable-fitting', 'Cable fitting', 'IfcCableFitting', 'NOTDEFINED', 'Electrical_Equipment'),
  type('cable-tray', 'Cable tray', 'IfcCableCarrierSegment', 'CABLETRAYSEGMENT', 'Electrical_Equipment'),
  type('cable-tray-fitting', 'Cable tray fitting', 'IfcCableCarrierFitting', 'NOTDEFINED', 'Electrical_Equipment'),
  type('junction-box', 'Junction box', 'IfcJunctionBox', 'NOTDEFINED', 'Electrical_Equipment'),
  type('outlet', 'Outlet', 'IfcOutlet', 'POWEROUTLET', 'Electrical_Equipment'),
  type('switch', 'Switch', 'IfcSwitchingDevice', 'TOGGLESWITCH', 'Switch'),
  type('protective-device', 'Protective device', 'IfcProtectiveDevice', 'CIRCUITBREAKER', 'Electrical_Equipment'),
  type('lamp', 'Lamp', 'IfcLamp', 'NOTDEFINED', 'Luminaire'),
  type('motor', 'Electric motor', 'IfcElectricMotor', 'NOTDEFINED', 'Motor'),
  type('coil', 'Coil', 'IfcCoil', 'NOTDEFINED', 'Coil'),
  type('compressor', 'Compressor', 'IfcCompressor', 'NOTDEFINED', 'Compressor'),
  type('condenser', 'Condenser', 'IfcCondenser', 'NOTDEFINED', 'HVAC_Equipment'),
  type('evaporator', 'Evaporator', 'IfcEvaporator', 'NOTDEFINED', 'HVAC_Equipment'),
  type('cooled-beam', 'Cooled beam', 'IfcCooledBeam', 'NOTDEFINED', 'Chilled_Beam'),
  type('actuator', 'Actuator', 'IfcActuator', 'NOTDEFINED', 'Equipment'),
  type('flow-instrument', 'Flow instrument', 'IfcFlowInstrument', 'NOTDEFINED', 'Equipment'),
  type('waste-terminal', 'Waste terminal', 'IfcWasteTerminal', 'NOTDEFINED', 'Equipment'),
  type('stack-terminal', 'Stack terminal', 'IfcStackTerminal', 'NOTDEFINED', 'Equipment'),
  type('communications-appliance', 'Communications appliance', 'IfcCommunicationsAppliance', 'NOTDEFINED', 'Equipment'),
  type('medical-device', 'Medical device', 'IfcMedicalDevice', 'NOTDEFINED', 'Equipment'),
  type('flow-terminal', 'Terminal', 'IfcFlowTerminal', 'NOTDEFINED', 'Equipment'),
  type('flow-controller', 'Flow controller', 'IfcFlowController', 'NOTDEFINED', 'Equipment'),
  type('flow-mover', 'Flow moving device', 'IfcFlowMovingDevice', 'NOTDEFINED', 'Equipment'),
  type('flow-segment', 'Segment', 'IfcFlowSegment', 'NOTDEFINED', 'Equipment'),
  type('flow-fitting', 'Fitting', 'IfcFlowFitting', 'NOTDEFINED', 'Equipment'),
  type('flow-storage', 'Storage device', 'IfcFlowStorageDevice', 'NOTDEFINED', 'Equipment'),
  type('flow-treatment', 'Treatment device', 'IfcFlowTreatmentDevice', 'NOTDEFINED', 'Equipment'),
  type('energy-converter', 'Energy conversion device', 'IfcEnergyConversionDevice', 'NOTDEFINED', 'Equipment'),
  type('control-device', 'Control device', 'IfcDistributionControlElement', 'NOTDEFINED', 'Equipment'),
  type('distribution-element', 'Part of a distribution system', 'IfcDistributionElement', 'NOTDEFINED', 'Equipment'),
]

export const elementTypes: readonly ElementType[] = [
  ...air,
  ...water,
  ...sensors,
  ...power,
  ...people,
  ...safety,
  ...networks,
  type('other', 'Other', 'IfcBuildingElementProxy', 'NOTDEFINED', 'Equipment'),
]
