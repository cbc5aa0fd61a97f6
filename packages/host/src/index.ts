export { type Service, startService } from './service.ts'
export { readSettings, type Settings } from './settings.ts'
