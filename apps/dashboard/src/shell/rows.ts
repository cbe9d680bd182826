// Keyboard navigation in the rows of a list, and the selection of single rows and ranges.

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

/** Selects the rows between two ids. Returns false if the list does not have these rows. */
type SelectRange = (from: string, to: string) => boolean

let selectRangeOf: SelectRange | undefined

/** Registers the handler that selects a range in the current list, because most rows of a long list are not rendered. Returns the unregister function. */
export function onRange(select: SelectRange): () => void {
  selectRangeOf = select
  return () => {
    if (selectRangeOf === select) selectRangeOf = undefined
  }
}

/** The start of a range, unless the row has left the list. */
let lastSelected: Element | null = null

export function selectRow(): void {
  lastSelected = focusedRow()
  boxOf(lastSelected)?.click()
}

/** Selects the rows from the last selected one to the focused one, or only the focused one if there is no other. */
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
