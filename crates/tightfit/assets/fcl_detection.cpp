// All contacts of two triangle meshes with FCL, query by query.
//
//   fcl_detection FIXED.obj MOVING.obj POSES.csv
//
// Rows of POSES.csv begin with x,y,z,qw,qx,qy,qz: the moving part in the fixed part's frame [m]. On standard input come
// lines "FIRST COUNT STRIDE"; each is answered by COUNT lines "MICROSECONDS CONTACTS" for the rows FIRST, FIRST + STRIDE ...
// and by one line "done". Time is that of the thread, so that other programs on the machine do not count.
//
//   g++ -O3 -march=native -DNDEBUG -I/usr/include/eigen3 fcl_detection.cpp -o fcl_detection -lfcl -lccd -loctomap -loctomath

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>

#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using Model = fcl::BVHModel<fcl::OBBRSSd>;

static std::shared_ptr<Model> read_mesh(const char* path) {
    std::ifstream file(path);
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "v") {
            double x, y, z;
            words >> x >> y >> z;
            vertices.emplace_back(x, y, z);
        } else if (kind == "f") {
            std::size_t a, b, c;
            words >> a >> b >> c;
            triangles.emplace_back(a - 1, b - 1, c - 1);
        }
    }
    if (triangles.empty()) return nullptr;
    auto model = std::make_shared<Model>();
    model->beginModel();
    model->addSubModel(vertices, triangles);
    model->endModel();
    return model;
}

static std::vector<fcl::Transform3d> read_poses(const char* path) {
    std::ifstream file(path);
    std::vector<fcl::Transform3d> poses;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        for (char& c : line)
            if (c == ',') c = ' ';
        std::istringstream numbers(line);
        double x, y, z, qw, qx, qy, qz;
        numbers >> x >> y >> z >> qw >> qx >> qy >> qz;
        fcl::Transform3d pose = fcl::Transform3d::Identity();
        pose.linear() = fcl::Quaterniond(qw, qx, qy, qz).normalized().toRotationMatrix();
        pose.translation() = fcl::Vector3d(x, y, z);
        poses.push_back(pose);
    }
    return poses;
}

static double thread_microseconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * time.tv_sec + 1e-3 * time.tv_nsec;
}

int main(int count, char** arguments) {
    if (count != 4) {
        std::cerr << "usage: fcl_detection FIXED.obj MOVING.obj POSES.csv\n";
        return 1;
    }
    auto fixed = read_mesh(arguments[1]), moving = read_mesh(arguments[2]);
    auto poses = read_poses(arguments[3]);
    if (!fixed || !moving || poses.empty()) {
        std::cerr << "fcl_detection: a mesh or the poses cannot be read\n";
        return 1;
    }
    fcl::CollisionRequestd request;
    request.enable_contact = true;
    request.num_max_contacts = std::numeric_limits<int>::max();
    std::size_t first, number, stride;
    while (std::cin >> first >> number >> stride) {
        for (std::size_t k = 0; k < number; ++k) {
            const fcl::Transform3d& pose = poses.at(first + k * stride);
            double start = thread_microseconds();
            fcl::CollisionResultd result;
            fcl::collide(moving.get(), pose, fixed.get(), fcl::Transform3d::Identity(), request, result);
            double spent = thread_microseconds() - start;
            std::cout << spent << ' ' << result.numContacts() << '\n';
        }
        std::cout << "done" << std::endl;
    }
}
