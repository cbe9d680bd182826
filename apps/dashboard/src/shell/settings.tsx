import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  Building2,
  CirclePause,
  CirclePlay,
  Globe,
  Keyboard,
  LogOut,
  Moon,
  Search,
  Sun,
  SunMoon,
} from 'lucide-react'
import { signOut } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { localZone } from '../ui/format.ts'
import { nextTheme, tenantSetting, togglePaused, toggleZone, usePaused, useTheme, useZone } from './live.ts'
import ui from '../ui/ui.module.css'
import { goKey } from './keyboard.ts'
import { useMe } from './me.tsx'
import styles from './shell.module.css'

const themes = {
  auto: { icon: SunMoon, name: 'System theme' },
  light: { icon: Sun, name: 'Light theme' },
  dark: { icon: Moon, name: 'Dark theme' },
}

export interface SettingsProps {
  readonly showHelp: () => void
  readonly showPalette: () => void
}

/** The settings of this browser, and the signed-in caller. */
export function Settings({ showHelp, showPalette }: SettingsProps) {
  const paused = usePaused()
  const zone = useZone()
  const theme = themes[useTheme()]
  const LiveIcon = paused ? CirclePlay : CirclePause
  return (
    <div className={styles['settings']}>
      <button type="button" className={styles['setting']} data-opens onClick={showPalette}>
        <Search size={16} aria-hidden />
        Go to <kbd className={ui['kbd']}>{goKey}</kbd>
      </button>
      <button type="button" className={styles['setting']} onClick={togglePaused}>
        <LiveIcon size={16} aria-hidden />
        {paused ? 'Paused · Resume' : 'Live · Pause'}
      </button>
      <button type="button" className={styles['setting']} onClick={toggleZone}>
        <Globe size={16} aria-hidden />
        {zone === 'utc' ? 'UTC' : localZone}
      </button>
      <button type="button" className={styles['setting']} onClick={nextTheme}>
        <theme.icon size={16} aria-hidden />
        {theme.name}
      </button>
      <button type="button" className={styles['setting']} data-opens onClick={showHelp}>
        <Keyboard size={16} aria-hidden />
        Keyboard shortcuts
      </button>
      <Caller />
    </div>
  )
}

function Caller() {
  const me = useMe()
  const session = useQuery(queries.session)
  const queryClient = useQueryClient()
  const leaveSession = async (): Promise<void> => {
    await signOut()
    // Shows the sign-in form before the data is removed, so that no page fetches it again.
    queryClient.setQueryData(queries.session.queryKey, {
      required: true,
      signed_in: false,
      expires_at: null,
      issuer: session.data?.issuer ?? null,
    })
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queries.session.queryKey[0] })
  }
  const names = {
    key: me.name ?? me.key_id ?? 'API key',
    subject: me.name ?? 'Signed-in user',
    token: 'API_TOKEN',
    anyone: 'Anonymous',
  }
  const scope = [
    me.tenant_id === null ? '' : `tenant ${me.tenant_id}`,
    me.queues === null ? '' : `queues ${me.queues.join(', ')}`,
    me.kinds === null ? '' : `kinds ${me.kinds.join(', ')}`,
  ].filter((text) => text !== '')
  return (
    <>
      <TenantSetting />
      {session.data?.required === true && (
        <button type="button" className={styles['setting']} onClick={() => void leaveSession()}>
          <LogOut size={16} aria-hidden />
          Sign out
        </button>
      )}
      <div className={styles['who']}>
        <b>{names[me.type]}</b>
        {scope.length === 0
          ? me.type === 'anyone'
            ? 'No sign-in required'
            : 'All tenants and queues'
          : scope.join(' · ')}
      </div>
    </>
  )
}

/** Lets a user with several tenants select another one. */
function TenantSetting() {
  const queryClient = useQueryClient()
  if (tenantSetting.get() === '') return null
  const change = (): void => {
    tenantSetting.set('')
    void queryClient.resetQueries()
  }
  return (
    <button type="button" className={styles['setting']} onClick={change}>
      <Building2 size={16} aria-hidden />
      Switch tenant
    </button>
  )
}
