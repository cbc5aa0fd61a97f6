export { seedBuilding } from './seed-building.ts'
