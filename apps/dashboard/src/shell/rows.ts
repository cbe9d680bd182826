// The rows of a list as the keyboard moves through them: the one with the focus, and those between it and another.

function rows(): Element[] {
  return [...document.querySelectorAll('[data-row]')]
}

function focusedRow(): Element | null {
  return document.activeElement?.closest('[data-row]') ?? null
}

function boxOf(row: Element | null | undefined): HTMLInputElement | null {
  return row?.querySelector<HTMLInputElement>('input[type="checkbox"]') ?? null
}

export function moveRow(step: number): void {
  const all = rows()
  const at = all.indexOf(focusedRow() ?? document.body)
  const next = at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))
  all[next]?.querySelector<HTMLElement>('a, button')?.focus()
}

/** Selects the rows from one to another, by their ids; false: they are none of its own. */
type SelectRange = (from: string, to: string) => boolean

let selectRangeOf: SelectRange | undefined

/** What selects a range of the list that is shown: of a long one, most rows are not in the page. Gives what ends that. */
export function onRange(select: SelectRange): () => void {
  selectRangeOf = select
  return () => {
    if (selectRangeOf === select) selectRangeOf = undefined
  }
}

/** Where a range begins. A row that has left the list begins none. */
let lastSelected: Element | null = null

export function selectRow(): void {
  lastSelected = focusedRow()
  boxOf(lastSelected)?.click()
}

/** Selects the rows from the one that was selected last to the focused one. Without the former, the focused one alone. */
export function selectRange(): void {
  const to = focusedRow()
  if (to === null || boxOf(to) === null) return
  const from = lastSelected ?? to
  lastSelected = to
  if (selectRangeOf?.(idOf(from), idOf(to)) === true) return
  const all = rows()
  const [first = 0, last = 0] = [all.indexOf(from), all.indexOf(to)].toSorted((a, b) => a - b)
  for (const row of first === -1 ? [to] : all.slice(first, last + 1)) {
    const box = boxOf(row)
    if (box?.checked === false) box.click()
  }
}

function idOf(row: Element): string {
  return row.getAttribute('data-row') ?? ''
}
