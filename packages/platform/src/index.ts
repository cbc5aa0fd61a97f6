export { createStack, type Stack } from './create-stack.ts'
export { describePlatformApi } from './http/describe.ts'
export { MIGRATIONS_DIRECTORY } from './migrations.ts'
export { type ReportProgress, seedBuilding } from './seed/seed-building.ts'
