export { databaseBytes } from './storage.store.ts'
export { createStorage, type Storage } from './storage.ts'
