// One part against another in ODE, both as triangle meshes; the wrench of every step comes from outside.
//
//   ode_engine FIXED.obj MOVING.obj STEP MASS IXX IYY IZZ CENTER_Z X Y Z QW QX QY QZ
//
// X .. QZ: pose of the moving part's frame at the start. A line "FX FY FZ TX TY TZ" (world axes, at the centre of mass)
// is answered after a step by "SECONDS X Y Z QW QX QY QZ VX VY VZ WX WY WZ": thread time spent so far, pose of the
// part's frame, velocity of its centre of mass, angular velocity in world axes.

#include <ode/ode.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct Mesh {
    std::vector<double> vertices;
    std::vector<dTriIndex> triangles;
};

static Mesh read_mesh(const char* path, double lowered) {
    Mesh mesh;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "v") {
            double x, y, z;
            words >> x >> y >> z;
            mesh.vertices.insert(mesh.vertices.end(), {x, y, z - lowered});
        } else if (kind == "f") {
            unsigned a, b, c;
            words >> a >> b >> c;
            mesh.triangles.insert(mesh.triangles.end(), {a - 1, b - 1, c - 1});
        }
    }
    return mesh;
}

static dGeomID geometry(dSpaceID space, const Mesh& mesh) {
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(data, mesh.vertices.data(), 3 * sizeof(double), mesh.vertices.size() / 3,
                                mesh.triangles.data(), mesh.triangles.size(), 3 * sizeof(dTriIndex));
    return dCreateTriMesh(space, data, nullptr, nullptr, nullptr);
}

static double thread_seconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

// it warns at every contact that it keeps twice
static void be_quiet(int, const char*, va_list) {}

int main(int count, char** arguments) {
    if (count != 16) return 1;
    double n[13];
    for (int k = 0; k < 13; ++k) n[k] = std::atof(arguments[k + 3]);
    const double step = n[0], mass = n[1], center = n[5];
    dInitODE();
    dSetMessageHandler(be_quiet);
    dWorldID world = dWorldCreate();
    dWorldSetERP(world, 0.2);
    dWorldSetCFM(world, 1e-9);
    dWorldSetQuickStepNumIterations(world, 100);
    dWorldSetContactSurfaceLayer(world, 0.0);
    // the body's frame is at its centre of mass
    Mesh fixed = read_mesh(arguments[1], 0.0), moving = read_mesh(arguments[2], center);
    dGeomID hole = geometry(nullptr, fixed), part = geometry(nullptr, moving);
    dBodyID body = dBodyCreate(world);
    dMass inertia;
    dMassSetParameters(&inertia, mass, 0, 0, 0, n[2], n[3], n[4], 0, 0, 0);
    dBodySetMass(body, &inertia);
    dGeomSetBody(part, body);
    const dQuaternion start = {n[9], n[10], n[11], n[12]};
    dBodySetQuaternion(body, start);
    dVector3 place;
    dBodyVectorToWorld(body, 0, 0, center, place);
    dBodySetPosition(body, n[6] + place[0], n[7] + place[1], n[8] + place[2]);
    dJointGroupID joints = dJointGroupCreate(0);
    std::vector<dContact> contacts(2000);
    double spent = 0, w[6];
    while (std::scanf("%lf %lf %lf %lf %lf %lf", w, w + 1, w + 2, w + 3, w + 4, w + 5) == 6) {
        double begun = thread_seconds();
        dBodyAddForce(body, w[0], w[1], w[2]);
        dBodyAddTorque(body, w[3], w[4], w[5]);
        int found = dCollide(part, hole, contacts.size(), &contacts[0].geom, sizeof(dContact));
        for (int k = 0; k < found; ++k) {
            contacts[k].surface.mode = dContactApprox1;
            contacts[k].surface.mu = 0.1;
            dJointAttach(dJointCreateContact(world, joints, &contacts[k]), body, nullptr);
        }
        dWorldQuickStep(world, step);
        dJointGroupEmpty(joints);
        spent += thread_seconds() - begun;
        const dReal *x = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
        const dReal *v = dBodyGetLinearVel(body), *s = dBodyGetAngularVel(body);
        dBodyVectorToWorld(body, 0, 0, -center, place);
        std::printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", spent,
                    x[0] + place[0], x[1] + place[1], x[2] + place[2], q[0], q[1], q[2], q[3], v[0], v[1], v[2], s[0],
                    s[1], s[2]);
        std::fflush(stdout);
    }
}
