import { Icon, Link, LoadingState, matchPath, UserMenu, useLocale, usePath, useTexts, useTitle } from '@storey/web'
import { type ReactNode, Suspense, useEffect } from 'react'
import { useBuildingData, useIsBuildingLoaded } from '../building/building-data.tsx'
import { RuleBoundsProvider } from '../live/rule-bounds.tsx'
import { preloadPage, routeOf, routes } from '../routes.ts'
import { SearchBox } from '../search/search-box.tsx'
import { PageBoundary } from './boundary.tsx'
import { Connection } from './connection.tsx'
import styles from './frame.module.css'
import { Navigation } from './navigation.tsx'
import { NotFound } from './not-found.tsx'
import { OldAddresses } from './old-addresses.ts'
import { useShell } from './shell.ts'
import { StoreySwitcher } from './storey-switcher.tsx'
import { shellTexts } from './texts.ts'

/** The header and the navigation around every page. They are painted before the building is loaded. */
export function Frame(): ReactNode {
  const t = useTexts(shellTexts)
  const { publicUrl, sandboxId } = useShell().config
  const isLoaded = useIsBuildingLoaded()
  return (
    <div className={styles.frame}>
      <header className={styles.header}>
        <a className="st-skip" href="#main">
          {t('skip')}
        </a>
        <Link className={styles.brand!} to="/" aria-label={isLoaded ? undefined : t('toBuilding')}>
          <Icon name="mark" size={20} />
          {isLoaded ? <BuildingName /> : null}
        </Link>
        {isLoaded ? (
          <>
            <StoreySwitcher />
            <SearchBox />
          </>
        ) : null}
        <div className={styles.end}>
          <Connection />
          <UserMenu>
            <a className="st-menu-link" href="/docs">
              {t('reference')}
            </a>
            <a className="st-menu-link" href={`${publicUrl}/sandboxes/${sandboxId}`}>
              {t('portal')}
            </a>
          </UserMenu>
        </div>
      </header>
      <Navigation showsCounts={isLoaded} />
      <div className={styles.page}>
        {isLoaded ? (
          <RuleBoundsProvider>
            <OldAddresses />
            <CurrentPage />
          </RuleBoundsProvider>
        ) : (
          <LoadingPage />
        )}
      </div>
    </div>
  )
}

/** The code of the page is loaded at the same time as the building. */
function LoadingPage(): ReactNode {
  const t = useTexts(shellTexts)
  const path = usePath()
  useEffect(() => preloadPage(path), [path])
  const loading = (
    <main id="main" tabIndex={-1}>
      <LoadingState text={t('loadingBuilding')} />
    </main>
  )
  const Preview = routeOf(path)?.preview
  return Preview ? (
    <Suspense fallback={loading}>
      <Preview />
    </Suspense>
  ) : (
    loading
  )
}

function BuildingName(): ReactNode {
  return <span>{useBuildingData().building.name}</span>
}

function CurrentPage(): ReactNode {
  const path = usePath()
  const { config } = useShell()
  const locale = useLocale()
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (!params || route.isEnabled?.(config) === false) continue
    const title = route.title[locale]
    return (
      <PageBoundary key={path} title={title}>
        <PageTitle title={title} />
        <Suspense fallback={<LoadingState />}>
          <route.page params={params} />
          <FocusOnNavigation path={path} />
        </Suspense>
      </PageBoundary>
    )
  }
  return <NotFound />
}

/** The path of the previous page; undefined for the first page. */
let shownPath: string | undefined

/** After navigation, scrolls to the top and moves the focus to the new page. */
function FocusOnNavigation({ path }: { path: string }): null {
  useEffect(() => {
    const isNavigation = shownPath !== undefined && shownPath !== path
    shownPath = path
    if (!isNavigation) return
    const main = document.getElementById('main')
    main?.parentElement?.scrollTo(0, 0)
    main?.focus({ preventScroll: true })
  }, [path])
  return null
}

/** Sets the default title. A page can set another title, which replaces the default. */
function PageTitle({ title }: { title: string }): null {
  const { building } = useBuildingData()
  useTitle(title, building.name)
  return null
}
