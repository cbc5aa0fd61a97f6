export { createUnreadLimit } from './limit-unread.ts'
export { createReadings, type Reading, type Readings } from './readings.ts'
export { MAX_UNREAD_BYTES, takeSlowest, type Unread, unreadIn } from './slowest.ts'
export { closeOrReset, unreadOf } from './unread-of.ts'
