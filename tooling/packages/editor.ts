import path from 'node:path'
import ts from 'typescript-oldest'

/** What an editor knows of a project outside of the workspace. */
export interface Editor {
  /** What it shows for the name at this place of a file: the documentation, or nothing. */
  documentationAt(file: string, position: number): string
  /** The members of the option types that a module exports which have no documentation, as `Type.member`. */
  undocumentedOptions(module: string): string[]
  /** What a module exports. */
  exportsOf(module: string): ModuleExports
}

export interface ModuleExports {
  /** The names of functions, classes and constants. */
  readonly values: readonly string[]
  /** Those of types of which no value speaks, in its signature or in what that leads to. */
  readonly strayTypes: readonly string[]
}

const compilerOptions: ts.CompilerOptions = {
  strict: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  noEmit: true,
  allowImportingTsExtensions: true,
}

/** An editor on these files of the folder `directory`. */
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
  }
}

/** The compiler's view of what a module exports, aliases resolved. */
interface Module {
  readonly checker: ts.TypeChecker
  readonly exports: readonly { readonly name: string; readonly symbol: ts.Symbol }[]
}

function openModule(service: ts.LanguageService, name: string): Module {
  const program = service.getProgram()
  const entry = path.join('node_modules', name, 'dist', 'index.d.ts')
  const file = program?.getSourceFiles().find(({ fileName }) => fileName.endsWith(entry))
  const checker = program?.getTypeChecker()
  const symbol = file && checker?.getSymbolAtLocation(file)
  if (checker === undefined || symbol === undefined)
    throw new Error(`the project imports nothing from ${name}`)
  const exports = checker.getExportsOfModule(symbol)
  return { checker, exports: exports.map((one) => ({ name: one.name, symbol: resolve(checker, one) })) }
}

function resolve(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** What an editor shows below the comment. */
function descriptionOf(tags: readonly ts.JSDocTagInfo[] = []): ts.SymbolDisplayPart[] {
  return tags.filter(({ name }) => name === 'description').flatMap(({ text = [] }) => text)
}

/** Types by which a caller says what is wanted. */
const isOptions = /(?:Options|Filter|Selection|Target|Settings|Config|Input|Query)$/

function undocumentedOptions({ checker, exports }: Module): string[] {
  const silent = exports
    .filter(({ name, symbol }) => isOptions.test(name) && (symbol.flags & ts.SymbolFlags.Value) === 0)
    .flatMap(({ name, symbol }) => {
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      const members = (type.isUnion() ? type.types : [type]).flatMap((one) => one.getProperties())
      return members
        .filter((member) => {
          const comment = member.getDocumentationComment(checker)
          return [...comment, ...descriptionOf(member.getJsDocTags(checker))].length === 0
        })
        .map((member) => `${name}.${member.name}`)
    })
  return [...new Set(silent)]
}

function exportsOf({ checker, exports }: Module): ModuleExports {
  const reached = new Set<ts.Symbol>()
  const read = (node: ts.Node): void => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
    if (symbol !== undefined) reach(resolve(checker, symbol))
    ts.forEachChild(node, read)
  }
  const reach = (symbol: ts.Symbol): void => {
    if (reached.has(symbol)) return
    reached.add(symbol)
    const declarations = symbol.declarations ?? []
    declarations.filter((one) => one.getSourceFile().fileName.includes('@queue')).forEach(read)
  }
  const values = exports.filter(({ symbol }) => (symbol.flags & ts.SymbolFlags.Value) !== 0)
  for (const { symbol } of values) reach(symbol)
  const strays = exports.filter(({ symbol }) => !reached.has(symbol))
  return { values: values.map(({ name }) => name), strayTypes: strays.map(({ name }) => name) }
}
