/** @file Which code adds the tiles of a product whose factor is computed from narrow integers. */
import { elementsOf, fixedValue } from "@sconce/codegen";
import { type Expression, type FunctionBuilder, i32, type ModuleBuilder } from "@sconce/wasm";
import type { ExpandedForm, ExpandedOperand } from "./expanded-operand.js";
import { type ExpandedInit, expandedTile, unpackKernel } from "./expansion-code.js";
import type { Address } from "./index-code.js";
import { blockKernel, PANEL_BYTES, type TileInit } from "./micro.js";
import { FLOAT32 } from "./numbers.js";
import type { MatrixPlan } from "./product-plan.js";

/** A factor that is computed from narrow integers, and its panels. */
export interface ExpandedSource {
  readonly source: ExpandedOperand;
  /** The panels of the integers, then those of each number. */
  readonly forms: readonly ExpandedForm[];
}

/** Tiles of few rows: of two panels, which are faster where registers hold them, and of one. */
interface FewRows {
  readonly rows: number;
  readonly pair: number | undefined;
  readonly one: number;
}
/** A panel of the factor is computed, then tiles of all rows read it. */
interface ManyRows {
  readonly unpack: number;
  readonly block: number;
}
/** Rows of tiles of two panels. */
const MOST_PAIRED = 2;

/** Functions that add tiles. */
export interface ExpandedKernels {
  /** For so many rows: the factor is computed in registers. */
  readonly few?: FewRows | undefined;
  /** For other rows: the factor is computed once for all of them. */
  readonly many?: ManyRows | undefined;
}

/** What kernels are made for. */
interface ProductInit {
  readonly plan: MatrixPlan;
  /** Rows that blocks may have. */
  readonly heights: readonly number[];
  readonly tile: TileInit;
}

/** Adds the functions of a product: for few rows, for many, or for both if sizes are open. */
export function expandedKernels(
  module: ModuleBuilder,
  { source: { expansion }, forms }: ExpandedSource,
  { plan, heights, tile }: ProductInit,
): ExpandedKernels {
  const panelBytes = forms.map((form) => form.panelBytes);
  const init: ExpandedInit = { expansion, isOne: expansion.group === plan.k, panelBytes };
  const rows = fixedValue(elementsOf(plan.rows));
  const few = rows === undefined ? 1 : rows <= tile.lanes ? rows : undefined;
  const tileOf = (panels: number): number => expandedTile(module, few!, panels, init, tile);
  return {
    few:
      few === undefined
        ? undefined
        : { rows: few, pair: few <= MOST_PAIRED ? tileOf(2) : undefined, one: tileOf(1) },
    many:
      few === rows
        ? undefined
        : { unpack: unpackKernel(module, init), block: blockKernel(module, heights, tile) },
  };
}

/** The block, and where its factor and what is read beside the sums lie. */
interface ExpandedBlock extends ExpandedBlockPlaces {
  readonly expanded: ExpandedSource;
  /** The panels of the integers and of the numbers, at the place of the product. */
  readonly bases: readonly Address[];
  readonly loads: readonly { readonly at: Expression; readonly row: number; readonly column: number }[];
}
interface ExpandedBlockPlaces {
  readonly firstRow: Address;
  readonly endRow: Address;
  readonly firstColumn: Address;
  readonly endColumn: Address;
  readonly firstStep: Address;
  readonly steps: Address;
}
/** What tiles are added to. */
interface ExpandedTarget {
  readonly a: Address;
  readonly c: Expression;
  readonly row: number;
  readonly rowBytes: Expression;
  /** Scratch memory of a panel. */
  readonly panel: Expression;
}

/** Adds the products of some steps to all tiles of a block, a panel after the other. */
export function addExpanded(
  f: FunctionBuilder,
  { few, many }: ExpandedKernels,
  block: ExpandedBlock,
  target: ExpandedTarget,
): void {
  const { firstRow, endRow, firstColumn, endColumn, firstStep, loads } = block;
  const rows = f.let(i32(endRow).minus(firstRow));
  const c = f.let(target.c);
  const extra = loads.map(({ at }) => f.let(at));
  const left = f.let(i32(endColumn).minus(firstColumn).parts(FLOAT32.columns));
  const places = panelPlaces(f, block);
  const pushLoads = (): void => {
    for (const [l, { row }] of loads.entries()) f.put(extra[l]!, row);
  };
  const callTile = (tile: number): void => {
    f.put(target.a, ...places, c, block.steps, target.row, firstStep, target.rowBytes);
    pushLoads();
    f.call(tile);
  };
  const callMany = ({ unpack, block: kernel }: ManyRows): void => {
    f.put(...places, target.panel, block.steps).call(unpack);
    f.put(target.a, target.panel, c, block.steps, rows, 1, target.row, firstStep, target.rowBytes);
    pushLoads();
    f.call(kernel);
  };
  const moveOn = (panels: number): void => {
    for (const [i, { panelBytes }] of block.expanded.forms.entries())
      f.increase(places[i]!, panels * panelBytes);
    f.increase(c, panels * PANEL_BYTES);
    for (const [l, { column }] of loads.entries())
      if (column !== 0) f.increase(extra[l]!, panels * PANEL_BYTES);
  };
  const addFew = ({ pair, one }: FewRows): void => {
    if (pair !== undefined)
      f.while(i32(left).is("ge_s", 2), () => {
        callTile(pair);
        moveOn(2);
        f.increase(left, -2);
      });
    f.while(left, () => {
      callTile(one);
      moveOn(1);
      f.increase(left, -1);
    });
  };
  const addMany = (kernels: ManyRows): void => {
    f.countDown(left, () => {
      callMany(kernels);
      moveOn(1);
    });
  };
  if (few === undefined) addMany(many!);
  else if (many === undefined) addFew(few);
  else
    f.put(i32(rows).is("eq", few.rows)).if(
      () => addFew(few),
      () => addMany(many),
    );
}

/** Returns where the first panel of a block lies, at the first of some steps. */
function panelPlaces(
  f: FunctionBuilder,
  { expanded: { source, forms }, bases, firstColumn, firstStep }: ExpandedBlock,
): Address[] {
  const { group, phases } = source.expansion;
  return forms.map(({ panelBytes }, i) => {
    const ofPanel = i32(firstColumn).over(FLOAT32.columns).times(panelBytes);
    // Bytes of eight columns, or a number of each for a group.
    const ofSteps =
      i === 0
        ? i32(firstStep).over(phases.length).times(FLOAT32.columns)
        : i32(firstStep).over(group).times(PANEL_BYTES);
    return f.let(i32(bases[i]!).plus(ofPanel).plus(ofSteps));
  });
}
