export { checkContract, compileValueSchema, type ValueCheck } from './compile.ts'
