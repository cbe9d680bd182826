import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { RE2JS } from 're2js'
import { z } from 'zod'

/** A pattern that is matched in linear time. */
export interface LinearPattern {
  test(text: string): boolean
  /** Cost of one character of text. */
  readonly size: number
}

/** Patterns of zod that use lookahead but are matched in linear time. */
const trusted: ReadonlySet<string> = new Set([z.regexes.email.source])

const parser = new RegExpParser()

/**
 * Compiles an ECMAScript pattern (as in JSON Schema) for an engine that does not backtrack. Undefined if that engine cannot match
 * it: it has lookaround or backreferences, or is not valid.
 */
export function linearPattern(source: string): LinearPattern | undefined {
  if (trusted.has(source)) {
    const pattern = new RegExp(source, 'u')
    return { test: (text) => pattern.test(text), size: source.length }
  }
  try {
    const pattern = RE2JS.compile(write(parse(source)))
    return { test: (text) => pattern.test(text), size: pattern.programSize() }
  } catch {
    return undefined
  }
}

/** Parses with the flag `u`, which JSON Schema implies. A pattern that is only valid without it is parsed without. */
function parse(source: string): AST.Pattern {
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true })
  } catch {
    return parser.parsePattern(source)
  }
}

/** The meaning of `\s` in ECMAScript, as ranges of code points. */
const spaces = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x16_80, 0x16_80],
  [0x20_00, 0x20_0a],
  [0x20_28, 0x20_29],
  [0x20_2f, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
] as const
const lastCodePoint = 0x10_ff_ff

const ranges = {
  space: spaces.map(([from, to]) => range(from, to)).join(''),
  notSpace: [...spaces, [lastCodePoint + 1, 0] as const]
    .map(([from], index) => range((spaces[index - 1]?.[1] ?? -1) + 1, from - 1))
    .join(''),
  digit: '0-9',
  notDigit: String.raw`\D`,
  word: '0-9A-Za-z_',
  notWord: String.raw`\W`,
}

function range(from: number, to: number): string {
  return `${codePoint(from)}-${codePoint(to)}`
}

function codePoint(value: number): string {
  return `\\x{${value.toString(16)}}`
}

type Written =
  | AST.Pattern
  | AST.Alternative
  | AST.Element
  | AST.QuantifiableElement
  | AST.CharacterClassElement

/** Writes a pattern in the syntax of RE2. Throws for unsupported syntax. */
function write(node: Written): string {
  switch (node.type) {
    case 'Pattern':
      return node.alternatives.map(write).join('|')
    case 'Group':
    case 'CapturingGroup':
      if ('modifiers' in node && node.modifiers !== null) throw unsupported(node)
      return `(?:${node.alternatives.map(write).join('|')})`
    case 'Alternative':
      return node.elements.map(write).join('')
    case 'Quantifier':
      return `(?:${write(node.element)}){${node.min},${node.max === Number.POSITIVE_INFINITY ? '' : node.max}}`
    case 'Assertion':
      return writeAssertion(node)
    case 'Character':
      return codePoint(node.value)
    case 'CharacterSet':
      return node.kind === 'any' ? String.raw`[^\n\r\x{2028}\x{2029}]` : `[${writeSet(node)}]`
    case 'CharacterClass':
      if (node.elements.length === 0 && node.negate) return String.raw`[\x{0}-\x{10ffff}]`
      return `[${node.negate ? '^' : ''}${node.elements.map(writeClassElement).join('')}]`
    default:
      throw unsupported(node)
  }
}

function writeAssertion(node: AST.Assertion): string {
  switch (node.kind) {
    case 'start':
      return '^'
    case 'end':
      return '$'
    case 'word':
      return node.negate ? String.raw`\B` : String.raw`\b`
    default:
      throw unsupported(node)
  }
}

function writeClassElement(node: AST.CharacterClass['elements'][number]): string {
  switch (node.type) {
    case 'Character':
      return codePoint(node.value)
    case 'CharacterClassRange':
      return range(node.min.value, node.max.value)
    case 'CharacterSet':
      return writeSet(node)
    default:
      throw unsupported(node)
  }
}

function writeSet(node: AST.CharacterSet): string {
  switch (node.kind) {
    case 'digit':
      return node.negate ? ranges.notDigit : ranges.digit
    case 'word':
      return node.negate ? ranges.notWord : ranges.word
    case 'space':
      return node.negate ? ranges.notSpace : ranges.space
    case 'property':
      return `\\${node.negate ? 'P' : 'p'}{${node.value ?? node.key}}`
    default:
      throw unsupported(node)
  }
}

function unsupported(node: { readonly raw: string }): Error {
  return new Error(`cannot be matched in linear time: ${node.raw}`)
}
