import type { ComponentType } from 'react'
import type { LiveConnection } from '../live/live-connection.ts'
import type { PlatformClient } from '../platform/client.ts'

/**
 * The signed-in user.
 *
 * @stable
 */
export interface PlatformUser {
  id: string
  name: string
  email?: string
}

/**
 * What the shell provides to a module: the building, the user, and access to the platform.
 *
 * @stable
 */
export interface Platform {
  readonly apiUrl: string
  readonly buildingId: string
  readonly organizationId: string
  readonly moduleSlug: string
  readonly user: PlatformUser
  readonly locale: 'en' | 'ru'
  readonly theme: 'light' | 'dark'
  /** The access token at this moment. For a request, call `getToken`: it renews the token before the token expires. */
  readonly token: string
  getToken(): Promise<string>
  /** Calls the platform API with the access token, and renews the token when necessary. */
  readonly client: PlatformClient
  /** Absent if the shell has no live channel. */
  readonly live: LiveConnection | undefined
}

/**
 * What a module exposes as `./Shell`: a component without props.
 *
 * @stable
 */
export type ModuleShell = ComponentType<Record<string, never>>
