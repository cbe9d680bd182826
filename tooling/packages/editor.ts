import path from 'node:path'
import ts from 'typescript-oldest'

/** The language service of an editor for a project outside of the workspace. */
export interface Editor {
  /** The documentation that an editor shows for the name at this position; empty if there is none. */
  documentationAt(file: string, position: number): string
  /** The members without documentation of the option types that a module exports, as `Type.member`. */
  undocumentedOptions(module: string): string[]
  /** The exports of a module. */
  exportsOf(module: string): ModuleExports
  /** The names under which `other` exports what a module exports too. */
  sharedWith(module: string, other: string): string[]
  /**
   * The names of the exports of `other` that the exports of a module use in their types, directly or indirectly. Without
   * constants, which types only name to list the texts that they allow.
   */
  usedOf(module: string, other: string): string[]
}

export interface ModuleExports {
  /** The names of functions, classes and constants. */
  readonly values: readonly string[]
  /** The names of types that no exported value uses, directly or indirectly. */
  readonly strayTypes: readonly string[]
}

const compilerOptions: ts.CompilerOptions = {
  strict: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  noEmit: true,
  allowImportingTsExtensions: true,
}

/** Opens these files of the folder `directory`. */
export function openEditor(directory: string, files: readonly string[]): Editor {
  const names = files.map((file) => path.join(directory, file))
  const service = ts.createLanguageService({
    getCompilationSettings: () => compilerOptions,
    getScriptFileNames: () => names,
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => directory,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
  })
  return {
    documentationAt: (file, position) => {
      const info = service.getQuickInfoAtPosition(path.join(directory, file), position)
      return ts.displayPartsToString([...(info?.documentation ?? []), ...descriptionOf(info?.tags)])
    },
    undocumentedOptions: (module) => undocumentedOptions(openModule(service, module)),
    exportsOf: (module) => exportsOf(openModule(service, module)),
    usedOf: (module, other) => usedOf(openModule(service, module), openModule(service, other)),
    sharedWith: (module, other) => sharedWith(openModule(service, module), openModule(service, other)),
  }
}

/** The exports of a module as the compiler sees them, with resolved aliases. */
interface Module {
  readonly checker: ts.TypeChecker
  readonly exports: readonly { readonly name: string; readonly symbol: ts.Symbol }[]
}

function openModule(service: ts.LanguageService, name: string): Module {
  const program = service.getProgram()
  const [scope = '', folder = '', entry = 'index'] = name.split('/')
  const entryFile = path.join('node_modules', scope, folder, 'dist', `${entry}.d.ts`)
  const file = program?.getSourceFiles().find(({ fileName }) => fileName.endsWith(entryFile))
  const checker = program?.getTypeChecker()
  const symbol = file && checker?.getSymbolAtLocation(file)
  if (checker === undefined || symbol === undefined) throw new Error(`no file of the project imports ${name}`)
  const exports = checker.getExportsOfModule(symbol)
  return {
    checker,
    exports: exports.map((exported) => ({ name: exported.name, symbol: resolve(checker, exported) })),
  }
}

function resolve(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** The text of `@description` tags, which an editor shows below the comment. */
function descriptionOf(tags: readonly ts.JSDocTagInfo[] = []): ts.SymbolDisplayPart[] {
  return tags.filter(({ name }) => name === 'description').flatMap(({ text = [] }) => text)
}

/** Matches the names of types that callers pass as options. */
const isOptions = /(?:Options|Filter|Selection|Target|Settings|Config|Input|Query)$/

function undocumentedOptions({ checker, exports }: Module): string[] {
  const undocumented = exports
    .filter(({ name, symbol }) => isOptions.test(name) && (symbol.flags & ts.SymbolFlags.Value) === 0)
    .flatMap(({ name, symbol }) => {
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      const members = (type.isUnion() ? type.types : [type]).flatMap((part) => part.getProperties())
      return members
        .filter((member) => {
          const comment = member.getDocumentationComment(checker)
          return [...comment, ...descriptionOf(member.getJsDocTags(checker))].length === 0
        })
        .map((member) => `${name}.${member.name}`)
    })
  return [...new Set(undocumented)]
}

function exportsOf(module: Module): ModuleExports {
  const values = module.exports.filter(({ symbol }) => (symbol.flags & ts.SymbolFlags.Value) !== 0)
  const used = usedBy(module, values)
  const unreachable = module.exports.filter(({ symbol }) => !used.has(symbol))
  return { values: values.map(({ name }) => name), strayTypes: unreachable.map(({ name }) => name) }
}

function sharedWith(module: Module, other: Module): string[] {
  const own = new Set(module.exports.flatMap(({ name, symbol }) => [name, symbol]))
  return other.exports.filter(({ name, symbol }) => own.has(name) || own.has(symbol)).map(({ name }) => name)
}

function usedOf(module: Module, other: Module): string[] {
  const used = usedBy(module, module.exports)
  return other.exports
    .filter(({ symbol }) => used.has(symbol) && (symbol.flags & ts.SymbolFlags.Variable) === 0)
    .map(({ name }) => name)
}

/** These exports, and what their declarations in our packages use, directly or indirectly. */
function usedBy({ checker }: Module, exports: Module['exports']): ReadonlySet<ts.Symbol> {
  const visited = new Set<ts.Symbol>()
  const visitNode = (node: ts.Node): void => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
    if (symbol !== undefined) visit(resolve(checker, symbol))
    ts.forEachChild(node, visitNode)
  }
  const visit = (symbol: ts.Symbol): void => {
    if (visited.has(symbol)) return
    visited.add(symbol)
    const declarations = symbol.declarations ?? []
    declarations
      .filter((declaration) => declaration.getSourceFile().fileName.includes('@queue'))
      .forEach(visitNode)
  }
  for (const { symbol } of exports) visit(symbol)
  return visited
}
