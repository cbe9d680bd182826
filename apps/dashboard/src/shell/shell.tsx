import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { Ellipsis, Rows3 } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { Mutation } from '../acts/act.ts'
import { useActs } from '../acts/acts.tsx'
import { useAttention } from '../api/attention.ts'
import { copyText } from '../ui/copy.tsx'
import { FindJobs } from './find-jobs.tsx'
import { TimeCard } from '../ui/time-card.tsx'
import { KeyHelp } from './key-help.tsx'
import { useKeyboard } from './keyboard.ts'
import { usePaused } from './live.ts'
import { useMay } from './me.tsx'
import { type Place, usePlaces } from './navigation.ts'
import { Settings, type SettingsProps } from './settings.tsx'
import styles from './shell.module.css'

/** Loaded on demand, because it is rarely opened. */
const Palette = lazy(() => import('./palette.tsx').then((loaded) => ({ default: loaded.Palette })))

/** The frame of every page: navigation, settings, dialogs and keyboard shortcuts. */
export function Shell() {
  const { undo, perform } = useActs()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const showHelp = useCallback(() => setHelpOpen(true), [])
  const { count } = useAttention()
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const showPalette = useCallback(() => setPaletteOpen(true), [])
  const maySearch = useMay()('jobs:read')
  const [isSearchOpen, setSearchOpen] = useState(false)
  const showSearch = useCallback(() => setSearchOpen(maySearch), [maySearch])
  const copyAddress = useCallback(() => void perform(copyPageLink), [perform])
  useKeyboard({ showHelp, showPalette, showSearch, copyAddress, undo })
  usePauseUpdates()
  useEffect(() => {
    document.title = count === 0 ? 'Queue' : `(${count}) Queue`
  }, [count])
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#main" onClick={focusMain}>
        Skip to content
      </a>
      <Rail attention={count} showHelp={showHelp} showPalette={showPalette} />
      <main id="main" className={styles['main']} tabIndex={-1}>
        <Outlet />
        <TimeCard />
      </main>
      <BottomBar showHelp={showHelp} showPalette={showPalette} />
      {isHelpOpen && <KeyHelp close={() => setHelpOpen(false)} />}
      {isSearchOpen && <FindJobs close={() => setSearchOpen(false)} />}
      {isPaletteOpen && (
        <Suspense>
          <Palette close={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

const copyPageLink: Mutation = {
  doing: 'Copying the link',
  run: async () => {
    await copyText(location.href)
    return { text: 'Link to this page copied.' }
  },
}

/**
 * Stops polling while updates are paused, and refetches once they resume. A query reads its interval only after a fetch, so all active
 * queries are notified of the change.
 */
function usePauseUpdates(): void {
  const queryClient = useQueryClient()
  const paused = usePaused()
  const wasPaused = useRef(paused)
  useEffect(() => {
    if (wasPaused.current === paused) return
    wasPaused.current = paused
    for (const { observers } of queryClient.getQueryCache().findAll({ type: 'active' })) {
      for (const observer of observers) observer.setOptions(observer.options)
    }
    if (!paused) void queryClient.refetchQueries({ type: 'active', stale: true })
  }, [paused, queryClient])
}

/** Focuses by script: a link to `#main` would resolve against the base URL, which is another page. */
function focusMain(event: React.MouseEvent): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}

interface RailProps extends SettingsProps {
  readonly attention: number
}

function Rail({ attention, ...settings }: RailProps) {
  return (
    <nav className={styles['rail']} aria-label="Pages">
      <div className={styles['brand']}>
        <span className={styles['mark']}>
          <Rows3 size={16} aria-hidden />
        </span>
        Queue
      </div>
      {usePlaces().map((place) => (
        <PlaceLink key={place.to} place={place} count={place.to === '/' ? attention : 0} />
      ))}
      <span className={styles['spring']} />
      <Settings {...settings} />
    </nav>
  )
}

function PlaceLink({ place, count = 0 }: { readonly place: Place; readonly count?: number }) {
  const { icon: Icon, to, name } = place
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className={styles['place'] ?? ''}
    >
      <Icon size={16} aria-hidden />
      {name}
      {count > 0 && (
        <span className={styles['count']}>
          {count}
          <span className="visually-hidden"> conditions need attention</span>
        </span>
      )}
    </Link>
  )
}

const atBottom = 4

/** The navigation on a phone: the first pages, and a menu with the others. */
function BottomBar(settings: SettingsProps) {
  const places = usePlaces()
  return (
    <nav className={styles['bottom']} aria-label="Pages (small screen)">
      {places.slice(0, atBottom).map(({ to, name, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Icon size={20} aria-hidden />
          {name}
        </Link>
      ))}
      <button type="button" popoverTarget="more-pages">
        <Ellipsis size={20} aria-hidden />
        More
      </button>
      <div id="more-pages" popover="auto" className={styles['more']} onClick={hidePopover}>
        {places.slice(atBottom).map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
        <Settings {...settings} />
      </div>
    </nav>
  )
}

function hidePopover(event: React.MouseEvent<HTMLElement>): void {
  if (event.target instanceof Element && event.target.closest('a, [data-opens]') !== null)
    event.currentTarget.hidePopover()
}
