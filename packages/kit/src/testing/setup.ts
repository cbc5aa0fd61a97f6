import { afterAll } from 'vitest'
import './property-runs.ts'
import { removeTemporaryFolders } from './temporary-folder.ts'

// Vitest runs the `afterAll` hooks of a file in reverse order. This hook is registered first, so it runs last.
afterAll(removeTemporaryFolders)
