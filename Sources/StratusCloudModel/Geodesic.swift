import Glibc

/// Distances on the WGS 84 ellipsoid.
public enum Geodesic {
    /// Metres: the mean radius of the earth (IUGG).
    public static let meanRadius = 6_371_008.8
    /// The ellipsoid's greatest relative difference from the sphere of ``meanRadius`` along any line, rounded up.
    public static let sphereError = 0.01

    /// Metres up to which ``distance(_:_:)`` is exact and obeys the triangle inequality.
    public static let exactDistances = 19_800_000.0

    private static let equatorialRadius = 6_378_137.0
    private static let flattening = 1 / 298.257223563
    private static let polarRadius = equatorialRadius * (1 - flattening)

    /// Metres from one place to another along the ellipsoid, without altitude.
    ///
    /// Vincenty's inverse formula, exact to less than a millimetre. It does not converge for places nearly opposite
    /// each other; those, beyond 19,900 km, get the distance on a sphere, which is within 0.6 %.
    public static func distance(
        _ latitude1: Double, _ longitude1: Double, _ latitude2: Double, _ longitude2: Double
    ) -> Double {
        vincenty(latitude1, longitude1, latitude2, longitude2)
            ?? sphericalDistance(latitude1, longitude1, latitude2, longitude2)
    }

    /// The same between two places.
    public static func distance(_ a: Location, _ b: Location) -> Double {
        distance(a.latitude, a.longitude, b.latitude, b.longitude)
    }

    /// Metres along a sphere of ``meanRadius``.
    public static func sphericalDistance(
        _ latitude1: Double, _ longitude1: Double, _ latitude2: Double, _ longitude2: Double
    ) -> Double {
        let φ1 = radians(latitude1)
        let φ2 = radians(latitude2)
        let a = sin((φ2 - φ1) / 2)
        let b = sin(radians(longitude2 - longitude1) / 2)
        let h = a * a + cos(φ1) * cos(φ2) * b * b
        return 2 * meanRadius * asin(min(1, sqrt(h)))
    }

    /// Degrees as radians.
    public static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

    /// Vincenty, T.: Direct and Inverse Solutions of Geodesics on the Ellipsoid. Survey Review 23 (1975).
    private static func vincenty(
        _ latitude1: Double, _ longitude1: Double, _ latitude2: Double, _ longitude2: Double
    ) -> Double? {
        let difference = radians(remainder(longitude2 - longitude1, 360))
        let β1 = atan((1 - flattening) * tan(radians(latitude1)))
        let β2 = atan((1 - flattening) * tan(radians(latitude2)))
        let (sinβ1, cosβ1, sinβ2, cosβ2) = (sin(β1), cos(β1), sin(β2), cos(β2))
        var λ = difference
        for _ in 0..<100 {
            let (sinλ, cosλ) = (sin(λ), cos(λ))
            let sinσ = hypot(cosβ2 * sinλ, cosβ1 * sinβ2 - sinβ1 * cosβ2 * cosλ)
            if sinσ == 0 { return sinβ1 * sinβ2 + cosβ1 * cosβ2 * cosλ > 0 ? 0 : nil }
            let cosσ = sinβ1 * sinβ2 + cosβ1 * cosβ2 * cosλ
            let σ = atan2(sinσ, cosσ)
            let sinα = cosβ1 * cosβ2 * sinλ / sinσ
            let cos2α = 1 - sinα * sinα
            // Along the equator there is no such angle.
            let cos2σm = cos2α == 0 ? 0 : cosσ - 2 * sinβ1 * sinβ2 / cos2α
            let c = flattening / 16 * cos2α * (4 + flattening * (4 - 3 * cos2α))
            let inner = cos2σm + c * cosσ * (-1 + 2 * cos2σm * cos2σm)
            let next = difference + (1 - c) * flattening * sinα * (σ + c * sinσ * inner)
            guard abs(next) <= .pi else { return nil }
            if abs(next - λ) < 1e-12 {
                return length(σ: σ, sinσ: sinσ, cosσ: cosσ, cos2σm: cos2σm, cos2α: cos2α)
            }
            λ = next
        }
        return nil
    }

    private static func length(σ: Double, sinσ: Double, cosσ: Double, cos2σm: Double, cos2α: Double) -> Double {
        let u2 = cos2α * (equatorialRadius * equatorialRadius / (polarRadius * polarRadius) - 1)
        let a = 1 + u2 / 16_384 * (4_096 + u2 * (-768 + u2 * (320 - 175 * u2)))
        let b = u2 / 1_024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
        let m2 = cos2σm * cos2σm
        let second = cosσ * (-1 + 2 * m2) - b / 6 * cos2σm * (-3 + 4 * sinσ * sinσ) * (-3 + 4 * m2)
        let Δσ = b * sinσ * (cos2σm + b / 4 * second)
        return polarRadius * a * (σ - Δσ)
    }
}
