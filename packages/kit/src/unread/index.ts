export { createUnreadLimit } from './limit-unread.ts'
export { createReadings, type Reading, type Readings, unreadOf } from './readings.ts'
export { MAX_UNREAD_BYTES, takeSlowest, type Unread, unreadIn } from './slowest.ts'
