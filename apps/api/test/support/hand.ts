import { eventually } from '@queue/testing'
import type { Locator, Page } from 'playwright-core'

/**
 * How long the parts of a step take a person, in milliseconds: the keystroke-level model of Card, Moran and Newell (The Psychology of
 * Human-Computer Interaction, 1983), with the typist of 40 words a minute.
 */
const partsMs = { think: 1_350, point: 1_100, click: 200, key: 280, changeDevice: 400 } as const

type Device = 'pointer' | 'keyboard'

/** A simulated person who uses only what is in view. */
export interface Hand {
  /** Clicks a target in view. `name` is its name in the list of steps. */
  click(name: string, target: Locator): Promise<void>
  press(key: string): Promise<void>
  /** Types into the field that has the focus. */
  type(text: string): Promise<void>
  /** Pastes into the field that has the focus. `name` describes the text. */
  paste(name: string, text: string): Promise<void>
  /** The steps so far: clicked names, and pressed or typed texts as code. */
  readonly steps: readonly string[]
  /** How long the steps take a person who knows them, in milliseconds. */
  personMs(): number
}

export function handAt(page: Page): Hand {
  const steps: string[] = []
  let spentMs = 0
  // The hand is on the pointer at the start.
  let holds: Device = 'pointer'
  const step = (words: string, device: Device, ms: number): void => {
    steps.push(words)
    spentMs += partsMs.think + ms + (holds === device ? 0 : partsMs.changeDevice)
    holds = device
  }
  const fill = async (words: string, text: string, keys: number): Promise<void> => {
    await page.locator('input:focus').waitFor()
    step(words, 'keyboard', keys * partsMs.key)
    await page.keyboard.insertText(text)
  }
  return {
    steps,
    personMs: () => spentMs,
    click: async (name, target) => {
      await target.waitFor()
      await eventually(() => isInSight(target), { what: `${name} is in sight`, deadlineMs: 15_000 })
      step(name, 'pointer', partsMs.point + partsMs.click)
      await target.click()
    },
    press: async (key) => {
      step(`\`${key}\``, 'keyboard', partsMs.key)
      await page.keyboard.press(key)
    },
    type: (text) => fill(`\`${text}\``, text, text.length),
    paste: (name, text) => fill(`paste ${name}`, text, 2),
  }
}

/** Whether the whole target is in the viewport, so that no scrolling is needed. */
async function isInSight(target: Locator): Promise<boolean> {
  const box = await target.boundingBox()
  const window_ = target.page().viewportSize()
  if (box === null || window_ === null) return false
  const isIn = (from: number, length: number, end: number): boolean => from >= 0 && from + length <= end
  return isIn(box.x, box.width, window_.width) && isIn(box.y, box.height, window_.height)
}
