export * from './database.ts'
export * from './gone.ts'
export * from './migrations.ts'
export * from './sql.ts'
