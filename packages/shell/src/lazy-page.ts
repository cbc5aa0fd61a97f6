import { type ComponentType, type LazyExoticComponent, lazy as lazyComponent } from 'react'
import type { PageProps } from './page-props.ts'

/** A component whose code is loaded on demand: when it is shown, or earlier by `preload`. */
export interface Lazy<Props> extends LazyExoticComponent<ComponentType<Props>> {
  preload(): void
}
export type LazyPage = Lazy<PageProps>

/**
 * Code that has been preloaded is rendered immediately. With a promise, React would show the fallback first, even if
 * the promise is already resolved, and would keep the fallback for 300 ms.
 */
export function lazy<Props>(load: () => Promise<{ default: ComponentType<Props> }>): Lazy<Props> {
  let loaded: { default: ComponentType<Props> } | undefined
  const start = async () => {
    loaded = await load()
    return loaded
  }
  const component = lazyComponent(() => (loaded ? alreadyResolved(loaded) : start()))
  // A failure is reported when the component is shown.
  return Object.assign(component, { preload: () => void start().catch(() => undefined) })
}

/** React also accepts an object with a `then` function. The `then` of this object calls back immediately. */
const alreadyResolved = <T>(value: T) =>
  // biome-ignore lint/suspicious/noThenProperty: it is meant to be awaited
  ({ then: (resolve: (value: T) => void) => resolve(value) }) as Promise<T>
