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

/** Where a range begins. A row that has left the list begins none. */
let lastSelected: Element | null = null

export function selectRow(): void {
  lastSelected = focusedRow()
  boxOf(lastSelected)?.click()
}

/** Selects the rows from the one that was selected last to the focused one. Without the former, the focused one alone. */
export function selectRange(): void {
  const all = rows()
  const to = all.indexOf(focusedRow() ?? document.body)
  if (to === -1) return
  const from = lastSelected === null ? -1 : all.indexOf(lastSelected)
  const [first, last] = from === -1 ? [to, to] : [Math.min(from, to), Math.max(from, to)]
  for (const row of all.slice(first, last + 1)) {
    const box = boxOf(row)
    if (box?.checked === false) box.click()
  }
  lastSelected = all[to] ?? null
}
