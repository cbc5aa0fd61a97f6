import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { expect, it } from 'vitest'
import { runDoctor } from './run-doctor.ts'

it('[OPR-09] the doctor prints its findings, without passwords, when a percent sign in a password is not encoded', async () => {
  const { text } = await runDoctor({
    DATA_DIR: temporaryFolder('storey-doctor'),
    DATABASE_URL: 'postgres://storey:50%off@127.0.0.1:1/storey',
    TENANT_DATABASE_URLS: 'control,postgres://storey:60%off@127.0.0.1:1/storey',
    NATS_URL: 'nats://storey:70%off@127.0.0.1:1',
    PORT: '0',
    METRICS_PORT: '0',
  })
  expect(text).toContain('the database cannot be reached: connect ECONNREFUSED 127.0.0.1:1')
  expect(text).toContain('NATS 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1')
  expect(text).not.toContain('%off')
})
