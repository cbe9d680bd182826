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

/** Few open it, and none at first. */
const Palette = lazy(() => import('./palette.tsx').then((loaded) => ({ default: loaded.Palette })))

/** What stands around every page: the way to the others, and the settings of whoever looks. */
export function Shell() {
  const { undo, perform } = useActs()
  const [helping, setHelping] = useState(false)
  const showHelp = useCallback(() => setHelping(true), [])
  const { count } = useAttention()
  const [going, setGoing] = useState(false)
  const showPalette = useCallback(() => setGoing(true), [])
  const maySearch = useMay()('jobs:read')
  const [searching, setSearching] = useState(false)
  const showSearch = useCallback(() => setSearching(maySearch), [maySearch])
  const copyAddress = useCallback(() => void perform(copyThisAddress), [perform])
  useKeyboard({ showHelp, showPalette, showSearch, copyAddress, undo })
  useStandstill()
  useEffect(() => {
    document.title = count === 0 ? 'Queue' : `(${count}) Queue`
  }, [count])
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#main" onClick={focusMain}>
        Skip to the page
      </a>
      <Rail attention={count} showHelp={showHelp} showPalette={showPalette} />
      <main id="main" className={styles['main']} tabIndex={-1}>
        <Outlet />
        <TimeCard />
      </main>
      <BottomBar showHelp={showHelp} showPalette={showPalette} />
      {helping && <KeyHelp close={() => setHelping(false)} />}
      {searching && <FindJobs close={() => setSearching(false)} />}
      {going && (
        <Suspense>
          <Palette close={() => setGoing(false)} />
        </Suspense>
      )}
    </div>
  )
}

const copyThisAddress: Mutation = {
  doing: 'Copying the address',
  run: async () => {
    await copyText(location.href)
    return { text: 'The address of this page is copied.' }
  },
}

/**
 * A query looks at its interval only when it has been read: so all are told when the page stands still, and once it goes on they are
 * read again.
 */
function useStandstill(): void {
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

/** Not by the address: that of the page's base is another page. */
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
          <span className="visually-hidden"> need attention</span>
        </span>
      )}
    </Link>
  )
}

const atBottom = 4

/** The rail of a phone: the pages that are used most, and the others behind a button. */
function BottomBar(settings: SettingsProps) {
  const places = usePlaces()
  return (
    <nav className={styles['bottom']} aria-label="Pages of a small screen">
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
