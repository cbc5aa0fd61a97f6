import { createContext, createElement, type ReactElement, type ReactNode, useContext } from 'react'
import type { Platform } from './platform.ts'

const PlatformContext = createContext<Platform | undefined>(undefined)
PlatformContext.displayName = 'Platform'

/**
 * Provides the platform to modules. The shell wraps each module in a provider. A module needs its own provider only
 * where the module runs without the shell: in its tests and in its preview (`npm run dev`).
 *
 * @stable
 */
export function PlatformProvider({ value, children }: { value: Platform; children?: ReactNode }): ReactElement {
  return createElement(PlatformContext.Provider, { value }, children)
}

/**
 * The platform this module runs in.
 *
 * @stable
 */
export function usePlatform(): Platform {
  const platform = useContext(PlatformContext)
  if (platform) return platform
  throw new Error(
    'There is no platform here: the component is outside of the shell, or the module bundles its own copy of ' +
      '@storey/sdk instead of sharing the copy of the shell. In a test, put the component inside <PlatformProvider value={testPlatform()}>.',
  )
}

/**
 * The current access token, for requests that the module sends itself. The token changes when it is renewed.
 *
 * @stable
 */
export const useToken = (): string => usePlatform().token
