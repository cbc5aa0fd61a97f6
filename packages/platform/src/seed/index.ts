export { type ReportProgress, seedBuilding } from './seed-building.ts'
