export { createMqtt, type Mqtt, type MqttConfig } from './mqtt.ts'
