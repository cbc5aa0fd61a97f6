export { kindsOf, noteChange, publishChanges } from './changes.ts'
