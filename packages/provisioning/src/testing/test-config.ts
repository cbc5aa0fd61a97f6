import { randomBytes } from 'node:crypto'
import type { ControlPlaneConfig } from '../control-plane.ts'

/** The configuration of a control plane on this database server, without rate limits and without a grace period. */
export const testConfig = (serverUrl: string): ControlPlaneConfig => ({
  publicUrl: new URL('http://localhost:4000'),
  baseDomain: 'localhost',
  aliases: [],
  masterSecret: randomBytes(16).toString('hex'),
  developersIssuer: undefined,
  serverUrl,
  maxActiveSandboxes: 3,
  stackIdleMs: 0,
  provisionConcurrency: 2,
  expiryGraceMs: 0,
  rateLimitPerMinute: 0,
  tickMs: 100,
  stack: {
    logLevel: 'silent',
    logForm: 'json',
    spacesPageCap: 1000,
    mode: 'development',
    corsOrigins: [],
    moduleRoute: 'on',
    memoryLimitMb: 256,
    sandboxesIssuer: null,
    rateLimitPerMinute: 0,
    sandboxRateLimitPerMinute: 0,
    storageLimitMb: 0,
  },
})
