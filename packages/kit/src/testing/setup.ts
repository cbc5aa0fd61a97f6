import { afterAll } from 'vitest'
import { removeTemporaryFolders } from './temporary-folder.ts'

// It is the first hook of every test file, and so the last one that runs at its end.
afterAll(removeTemporaryFolders)
