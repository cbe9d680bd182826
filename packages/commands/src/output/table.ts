import stringWidth from 'string-width'
import { safeText } from './safe-text.ts'

export type Cell = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => Cell
  /** Default: left. Numbers are aligned right. */
  readonly align?: 'right'
  /** Whether the column can be narrower than its content if the terminal is too narrow. */
  readonly shrinks?: true
}

/** Colours a cell after it has been padded. */
export type Paint = (text: string, column: string) => string

export interface TableOptions {
  /** Width of the terminal in characters; absent: unlimited. */
  readonly width?: number | undefined
  /** Default: cells have no colour. */
  readonly paint?: Paint
}

const gap = '  '
/** Minimum width of a column that shrinks. */
const shrunkWidthMin = 8

/** Renders the rows below the titles of their columns. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, paint = (text) => text }: TableOptions = {},
): string {
  const cells = rows.map((row) => columns.map((column) => toText(column.of(row))))
  const titles = columns.map(({ title }) => title.toUpperCase())
  const natural = columns.map((_, index) =>
    Math.max(...[titles, ...cells].map((line) => stringWidth(line[index] ?? ''))),
  )
  const widths = fit(natural, { columns, width })
  const lineOf = (line: readonly string[], color: Paint): string =>
    columns
      .map(({ title, align }, index) => {
        const cell = line[index] ?? ''
        const isLast = index === columns.length - 1 && align === undefined
        return color(
          pad(cut(cell, widths[index] ?? 0), { width: isLast ? 0 : (widths[index] ?? 0), align }),
          title,
        )
      })
      .join(gap)
      .trimEnd()
  return [lineOf(titles, (text) => text), ...cells.map((line) => lineOf(line, paint))].join('\n')
}

export function toText(cell: Cell): string {
  return cell === null || cell === undefined ? '-' : safeText(String(cell))
}

interface FitOptions {
  readonly columns: readonly { readonly shrinks?: true }[]
  readonly width: number | undefined
}

/** Narrows the widest shrinkable column, one character at a time, until the line fits. */
function fit(natural: readonly number[], { columns, width }: FitOptions): number[] {
  const widths = [...natural]
  if (width === undefined) return widths
  let excess =
    widths.reduce((sum, columnWidth) => sum + columnWidth, 0) + gap.length * (widths.length - 1) - width
  while (excess > 0) {
    const shrinking = widths.map((columnWidth, index) =>
      columns[index]?.shrinks && columnWidth > shrunkWidthMin ? columnWidth : 0,
    )
    const widest = Math.max(...shrinking)
    if (widest === 0) return widths
    widths[shrinking.indexOf(widest)] = widest - 1
    excess -= 1
  }
  return widths
}

function pad(
  text: string,
  { width, align }: { readonly width: number; readonly align: 'right' | undefined },
): string {
  const missing = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return align === 'right' ? missing + text : text + missing
}

/** The beginning of a text that is too wide, with an ellipsis. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let keptWidth = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    keptWidth += stringWidth(segment)
    if (keptWidth > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
