export { createStack, type Stack } from './create-stack.ts'
export { describePlatformApi } from './http/index.ts'
export { MIGRATIONS_DIRECTORY } from './migrations.ts'
export { type ReportProgress, seedBuilding } from './seed/index.ts'
