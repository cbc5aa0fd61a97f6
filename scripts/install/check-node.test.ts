import { describe, expect, it } from 'vitest'
import { isSupported, rangeText, userVersions } from './check-node.mjs'

const RANGE = '^20.19.0 || >=22.12.0'

describe('the check of the Node version', () => {
  it.each(['20.19.0', '20.20.1', '22.12.0', '22.22.0', '23.0.0', '26.10.0', '27.0.0-nightly'])(
    'accepts %s',
    (version) => {
      expect(isSupported(version, RANGE)).toBe(true)
    },
  )

  it.each(['18.20.4', '20.11.0', '20.18.3', '21.7.3', '22.11.0'])('refuses %s', (version) => {
    expect(isSupported(version, RANGE)).toBe(false)
  })

  it('names the supported versions', () => {
    expect(rangeText(RANGE)).toBe('20.19 or a later 20, or 22.12 or later')
  })

  it('checks the Node that runs npm, not the one in node_modules', () => {
    const agent = 'npm/10.8.2 node/v20.11.0 linux x64 workspaces/false'
    expect(userVersions({ npm_config_user_agent: agent }, 'v26.10.0')).toEqual({ node: '20.11.0', npm: '10.8.2' })
    expect(userVersions({}, 'v24.1.0')).toEqual({ node: '24.1.0', npm: undefined })
  })
})
