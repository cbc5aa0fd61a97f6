export { createMqtt, type Mqtt, type MqttConfig, type MqttCounts } from './mqtt.ts'
