import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { expect, it } from 'vitest'
import { readSettings } from '../../settings.ts'
import { checkService } from './check-service.ts'

it('[OPR-09] the port of metrics is checked at METRICS_HOST', async () => {
  const DATA_DIR = temporaryFolder('storey-doctor')
  const env = { DATA_DIR, PORT: '39464', METRICS_PORT: '39465', METRICS_HOST: '203.0.113.7' }
  const { all } = await checkService(readSettings(env), false)
  const { text, advice } = all.find((finding) => finding.text.startsWith('METRICS_PORT'))!
  expect(text).toMatch(/^METRICS_PORT 39465 on 203\.0\.113\.7 cannot be used: /)
  expect(advice).toBe('set METRICS_PORT or METRICS_HOST')
})

it.each([
  [true, 'the service runs on another machine, or with another data folder'],
  [false, 'the service is not running'],
  [undefined, 'no service runs with this data folder, and it is unknown whether one runs elsewhere'],
])('[OPR-09] if isLeading is %s, the first finding is "%s"', async (isLeading, text) => {
  const env = { DATA_DIR: temporaryFolder('storey-doctor'), PORT: '39464', METRICS_PORT: '39465' }
  const { all } = await checkService(readSettings(env), isLeading)
  expect(all[0]!.text).toBe(text)
})
