import * as oauth from 'openid-client'
import { systemUrl } from './shared.ts'

/** The realm of developers, as the command-line tool uses it. */
export const toolClient = (): Promise<oauth.Configuration> =>
  oauth.discovery(new URL(`${systemUrl}/realms/developers`), 'svc-cli', undefined, oauth.None(), {
    execute: [oauth.allowInsecureRequests],
  })

/** Begins a sign-in with a code, as `svc login` does. */
export const requestCode = (config: oauth.Configuration): Promise<oauth.DeviceAuthorizationResponse> =>
  oauth.initiateDeviceAuthorization(config, { scope: 'openid email offline_access' })
