/**
 * @file Bessel functions of both kinds of orders 0 and 1, and Airy's function of negative numbers,
 * by the rational functions of Cephes (Moshier, "Methods and Programs for Mathematical Functions").
 * PyTorch evaluates some of their denominators without the leading power, whose coefficient is 1,
 * and so gets errors of 1e-11 to 1e-6; so do these.
 */

/** Coefficients of polynomials, that of the highest power first. */
interface Coefficients {
  /** The squares of the first two zeros. */
  readonly roots: readonly [number, number];
  readonly near: readonly number[];
  readonly nearBelow: readonly number[];
  readonly even: readonly number[];
  readonly evenBelow: readonly number[];
  readonly odd: readonly number[];
  readonly oddBelow: readonly number[];
  readonly second: readonly number[];
  readonly secondBelow: readonly number[];
}

const ORDER_0: Coefficients = {
  roots: [5.783185962946784, 30.471262343662087],
  near: [-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064],
  nearBelow: [
    499.563147152651, 173785.4016763747, 48440965.83399621, 11185553704.535683, 2112775201154.892,
    310518229857422.56, 3.1812195594320496e16, 1.7108629408104315e18,
  ],
  even: [
    0.0007969367292973471, 0.08283523921074408, 1.239533716464143, 5.447250030587687, 8.74716500199817,
    5.303240382353949, 1,
  ],
  evenBelow: [
    0.0009244088105588637, 0.08562884743544745, 1.2535274390105895, 5.470977403304171, 8.761908832370695,
    5.306052882353947, 1,
  ],
  odd: [
    -0.011366383889846916, -1.2825271867050931, -19.553954425773597, -93.20601521237683, -177.68116798048806,
    -147.07750515495118, -51.41053267665993, -6.050143506007285,
  ],
  oddBelow: [
    64.3178256118178, 856.4300259769806, 3882.4018360540163, 7240.467741956525, 5930.727011873169,
    2062.0933166032783, 242.0057402402914,
  ],
  second: [
    15592.436785523574, -14663929.59039716, 5435264770.518765, -982136065717.9115, 87590639439536.7,
    -3466283033847297, 4.4273326857256984e16, -1.8495080043698668e16,
  ],
  secondBelow: [
    1041.2835366425984, 626107.330137135, 268919633.39381415, 86400248710.3935, 20297961275010.555,
    3171577528429750.5, 2.5059625617265306e17,
  ],
};

const ORDER_1: Coefficients = {
  roots: [14.681970642123893, 49.2184563216946],
  near: [-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529],
  nearBelow: [
    620.8364781180543, 256987.25675774884, 83514679.14319493, 22151159547.97925, 4749141220799.914,
    784369607876235.9, 8.952223361846274e16, 5.322786203326801e18,
  ],
  even: [
    0.0007621256162081731, 0.07313970569409176, 1.1271960812968493, 5.112079511468076, 8.424045901417724,
    5.214515986823615, 1,
  ],
  evenBelow: [
    0.0005713231280725487, 0.06884559087544954, 1.105142326340617, 5.073863861286015, 8.399855543276042,
    5.209828486823619, 1,
  ],
  odd: [
    0.05108625947501766, 4.982138729512334, 75.82382841325453, 366.7796093601508, 710.8563049989261,
    597.4896124006136, 211.68875710057213, 25.207020585802372,
  ],
  oddBelow: [
    74.23732770356752, 1056.4488603826283, 4986.410583376536, 9562.318924047562, 7997.041604473507,
    2826.1927851763908, 336.0936078106983,
  ],
  second: [
    1263204747.9017804, -647355876379.1603, 114509511541823.73, -8127702555013251, 2.024394757135949e17,
    -7.788771962659501e17,
  ],
  secondBelow: [
    594.3015923461282, 235564.09294306856, 73481194.44597217, 18760131610.870617, 3882312774962.3857,
    620557727146953.8, 6.871410873553005e16, 3.9727060811656064e18,
  ],
};

const polynomial = (x: number, coefficients: readonly number[]): number => {
  let sum = 0;
  for (const coefficient of coefficients) sum = sum * x + coefficient;
  return sum;
};

/** Up to here J is a rational function; beyond, the amplitude and phase of a wave are. */
const NEAR = 5;
const ROOT_2_BY_PI = 0.7978845608028654;

/** Returns the parts of a wave beyond {@link NEAR}: those that follow its cosine and its sine. */
function wave(x: number, order: 0 | 1): readonly [j: number, y: number] {
  const { even, evenBelow, odd, oddBelow } = order === 0 ? ORDER_0 : ORDER_1;
  const ratio = NEAR / x;
  const square = ratio * ratio;
  const p = polynomial(square, even) / polynomial(square, evenBelow);
  const q = (ratio * polynomial(square, odd)) / polynomial(square, oddBelow);
  const angle = x - (2 * order + 1) * (Math.PI / 4);
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const size = ROOT_2_BY_PI / Math.sqrt(x);
  return [(p * cosine - q * sine) * size, (p * sine + q * cosine) * size];
}

function nearZero(x: number, { roots, near, nearBelow }: Coefficients): number {
  const square = x * x;
  return (
    ((square - roots[0]) * (square - roots[1]) * polynomial(square, near)) / polynomial(square, nearBelow)
  );
}

export function besselJ0(value: number): number {
  const x = Math.abs(value);
  if (x < 1e-5) return 1 - (x * x) / 4;
  return x <= NEAR ? nearZero(x, ORDER_0) : wave(x, 0)[0];
}

export function besselJ1(value: number): number {
  const x = Math.abs(value);
  return x <= NEAR ? value * nearZero(x, ORDER_1) : Math.sign(value) * wave(x, 1)[0];
}

export function besselY0(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0)) return Number.NaN;
  if (x > NEAR) return wave(x, 0)[1];
  const { second, secondBelow } = ORDER_0;
  return (
    polynomial(x * x, second) / polynomial(x * x, secondBelow) + (2 / Math.PI) * Math.log(x) * besselJ0(x)
  );
}

export function besselY1(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0)) return Number.NaN;
  if (x > NEAR) return wave(x, 1)[1];
  const { second, secondBelow } = ORDER_1;
  const rational = polynomial(x * x, second) / polynomial(x * x, secondBelow);
  return x * rational + (2 / Math.PI) * (besselJ1(x) * Math.log(x) - 1 / x);
}

const AIRY_EVEN = [
  -0.1316963234183318, -0.6264565444319123, -0.6931580360369335, -0.2797799815451191, -0.04919001326095003,
  -0.004062659235948854, -0.0001592764962392621, -2.776491081552329e-6, -1.6778769848911465e-8,
];
const AIRY_EVEN_BELOW = [
  13.356042070655324, 32.682503279522464, 26.736704094149957, 9.187074029072596, 1.4752914677166642,
  0.11568717379518804, 0.004402916416152112, 7.547203482874142e-5, 4.5185009297058035e-7,
];
const AIRY_ODD = [
  0.01973399320916857, 0.39110302961568827, 1.0657989759959559, 0.9391692298166502, 0.35146565610554764,
  0.06338889196289255, 0.005858041130483885, 0.000282851600836737, 6.98793669997261e-6, 8.117892395543892e-8,
  3.415517847659236e-10,
];
const AIRY_ODD_BELOW = [
  9.30892908077442, 19.835292871831214, 15.564662893286462, 5.476860694229755, 0.9542936116189619,
  0.08645808263523921, 0.004126565238242226, 0.00010125908511650914, 1.1716673321441352e-6,
  4.9183457006293e-9,
];

/** From here on downwards PyTorch takes the rational functions. */
export const AIRY_FAR = -2.09;

/** Ai(x) for x below {@link AIRY_FAR}. */
export function airyFar(x: number): number {
  const root = Math.sqrt(-x);
  const place = (-2 * x * root) / 3;
  const z = 1 / place;
  const square = z * z;
  const even = 1 + (square * polynomial(square, AIRY_EVEN)) / polynomial(square, AIRY_EVEN_BELOW);
  const odd = (z * polynomial(square, AIRY_ODD)) / polynomial(square, AIRY_ODD_BELOW);
  const angle = place + Math.PI / 4;
  return (Math.sin(angle) * even - Math.cos(angle) * odd) / Math.sqrt(Math.PI * root);
}
