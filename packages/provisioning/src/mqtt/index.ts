export type { ReaderAssignment } from './external-broker.ts'
export { createMqtt, type Mqtt, type MqttConfig, type MqttCounts } from './mqtt.ts'
