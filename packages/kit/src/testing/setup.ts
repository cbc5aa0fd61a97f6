import { afterAll } from 'vitest'
import './property-runs.ts'
import { removeTemporaryFolders } from './temporary-folder.ts'

// This is the first hook of every test file, and so the last one that runs at the end of the file.
afterAll(removeTemporaryFolders)
